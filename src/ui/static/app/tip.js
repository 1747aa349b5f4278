/** The one tooltip: lines of text beside a mark, never over it and never outside of the window. */
export class Tip {
  #node = document.getElementById("tip");

  /** `lines`: texts or nodes; `x`, `y`: the mark in the window, `gap` its half height, `below` where it ends. */
  show(lines, x, y, gap = 12, below = y + gap) {
    const node = this.#node;
    node.replaceChildren(...[lines].flat().map((line) => paragraph(line)));
    node.hidden = false;
    const { width, height } = node.getBoundingClientRect();
    const left = Math.min(Math.max(8, x - width / 2), Math.max(8, innerWidth - width - 8));
    const above = y - gap - height;
    node.style.setProperty("--x", `${left}px`);
    node.style.setProperty("--y", `${above < 8 ? below : above}px`);
  }

  hide() {
    this.#node.hidden = true;
  }
}

function paragraph(line) {
  const node = document.createElement("p");
  node.append(line);
  return node;
}
