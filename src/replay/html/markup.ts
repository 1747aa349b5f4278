/** A piece of a document whose text is safe as it stands. Only `html` and `raw` make one. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Content = Markup | string | number | null | readonly Content[];

/** A piece of HTML or SVG. Whatever is put in is escaped, unless it is such a piece: fit for text and quoted attributes. */
export function html(pieces: TemplateStringsArray, ...contents: readonly Content[]): Markup {
  return new Markup(pieces.reduce((text, piece, index) => `${text}${escaped(contents[index - 1] ?? null)}${piece}`));
}

/** A text of our own that is markup already. */
export function raw(text: string): Markup {
  return new Markup(text);
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Control characters and overrides of the writing direction would let a name pass for another one. */
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

function escaped(content: Content): string {
  if (content === null) return "";
  if (content instanceof Markup) return content.text;
  if (typeof content === "object") return content.map(escaped).join("");
  return String(content)
    .replace(UNSEEN, "\ufffd")
    .replace(/[&<>"']/g, (mark) => ENTITIES[mark] as string);
}
