import type { Passage } from "../../src/model/passage.ts";

let made = 0;

function passage(given: Partial<Passage>): Passage {
  made++;
  return {
    blockId: `b${made}`,
    unitId: made,
    turn: made,
    type: "assistant_response",
    tool: null,
    isError: false,
    text: "",
    ...given,
  };
}

/** What an agent says. */
export const says = (text: string): Passage => passage({ text });

/** What a user says. */
export const asks = (text: string): Passage => passage({ type: "user_message", text });

/** A call with its arguments. */
export function calls(name: string, input: object): Passage {
  const argumentsText = JSON.stringify(input);
  return passage({ tool: { callId: "c", name, argumentsText }, text: `${name} ${argumentsText}` });
}

/** A tool's result. */
export const yields = (text: string, isError = false): Passage => passage({ type: "tool_result", text, isError });
