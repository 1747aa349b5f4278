/** The one tooltip: lines of text beside a mark, never over it and never outside of the window. */
export class Tip {
  #node = document.getElementById("tip");

  /** `lines`: texts or nodes; `x`, `y`: the mark in the window, and `gap` its half height. */
  show(lines, x, y, gap = 12) {
    const node = this.#node;
    node.replaceChildren(...[lines].flat().map((line) => paragraph(line)));
    node.hidden = false;
    const { width, height } = node.getBoundingClientRect();
    const left = Math.min(Math.max(8, x - width / 2), Math.max(8, innerWidth - width - 8));
    const above = y - gap - height;
    node.style.setProperty("--x", `${left}px`);
    node.style.setProperty("--y", `${above < 8 ? y + gap : above}px`);
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
