import { slot } from "../draw/dom.js";

/** The states in which no screen can be shown: each a template of index.html. */

function show(root, name) {
  root.replaceChildren(document.importNode(document.getElementById(name).content, true));
  return (part) => slot(root, part);
}

/** Asks for a token; `onToken(token)`. It is kept by who asked, in memory. */
export function showAuth(root, { wrong, onToken }) {
  const part = show(root, "auth");
  const field = root.querySelector("#token");
  if (wrong) {
    const note = part("wrong");
    note.textContent = "The daemon does not take this token for this page.";
    note.hidden = false;
    field.setAttribute("aria-invalid", "true");
  }
  part("form").addEventListener("submit", (event) => {
    event.preventDefault();
    onToken(field.value.trim());
  });
  field.focus();
}

/** The page could not be filled: what was answered, its code, and a way to try again. */
export function showError(root, error, onAgain, title = "The sessions could not be read") {
  const part = show(root, "error");
  part("title").textContent = title;
  part("what").textContent = `${error.message} ${error.retryable ? "Trying again by itself." : ""}`;
  part("code").textContent = error.code === null ? error.reason : `${error.code} ${error.reason}`;
  part("again").addEventListener("click", onAgain);
}

/** Nothing stands at this address: what was looked for, and why it may not be there, in words. */
export function showNotFound(root, what, why = "") {
  const part = show(root, "not-found");
  part("what").textContent = what;
  part("why").textContent = why;
}

/** No session has been opened yet: how to begin. */
export function showEmpty(root) {
  const part = show(root, "empty");
  const address = new URL("rpc", document.baseURI).href;
  part("ready").textContent =
    `contextd is ready. Call it at ${address}; this page changes by itself at the first turn.`;
}
