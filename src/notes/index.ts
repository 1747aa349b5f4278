export { inOrder, type Note } from "../model/note.ts";
export {
  boundBroken,
  EMPTY_BOOK,
  MOST_CHARACTERS,
  MOST_NOTE_CHARACTERS,
  MOST_NOTES,
  type NoteBook,
  nextNoteId,
  withNote,
  withoutNote,
} from "./book.ts";
export { chooseNotes } from "./choice.ts";
export { showsRule, standingText } from "./standing.ts";
export { initialTask, MOST_SUBTASKS, type TaskState, untitled, updateTask } from "./task.ts";
export { recognizeTodos } from "./todo/index.ts";
export { todoUpdate } from "./todo-update.ts";
