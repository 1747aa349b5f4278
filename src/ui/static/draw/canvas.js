/**
 * A canvas that is sharp on every display and follows its size and the theme. `draw(context, width, height)` is called
 * with sizes in CSS pixels, at most once a frame; nothing of what was drawn before is left.
 */
export class Canvas {
  #node;
  #context;
  #draw;
  #asked = 0;
  #observer;
  #themed = () => this.redraw();
  width = 0;
  height = 0;

  constructor(node, draw) {
    this.#node = node;
    this.#context = node.getContext("2d");
    this.#draw = draw;
    this.#observer = new ResizeObserver(() => this.#measure());
    this.#observer.observe(node);
    addEventListener("themechange", this.#themed);
  }

  /** Asks for one drawing in the next frame. */
  redraw() {
    if (this.#asked !== 0) return;
    this.#asked = requestAnimationFrame(() => {
      this.#asked = 0;
      this.#now();
    });
  }

  close() {
    cancelAnimationFrame(this.#asked);
    this.#observer.disconnect();
    removeEventListener("themechange", this.#themed);
  }

  #measure() {
    this.width = this.#node.clientWidth;
    this.height = this.#node.clientHeight;
    this.redraw();
  }

  #now() {
    const { width, height } = this;
    if (width === 0 || height === 0) return;
    const scale = devicePixelRatio || 1;
    const [across, down] = [Math.round(width * scale), Math.round(height * scale)];
    if (this.#node.width !== across || this.#node.height !== down) {
      this.#node.width = across;
      this.#node.height = down;
    }
    this.#context.setTransform(scale, 0, 0, scale, 0, 0);
    this.#context.clearRect(0, 0, width, height);
    this.#draw(this.#context, width, height);
  }
}
