import type { SessionKey } from "../model/session-key.ts";
import { type CheckpointDocument, markdownOf } from "../window/checkpoint/index.ts";
import type { Copy } from "./copy.ts";

export interface CheckpointCopiesDependencies {
  /** `cross_window.state_file` and `cross_window.progress_file` for sessions of a profile. */
  readonly stateFileOf: (profile: string) => string | null;
  readonly progressFileOf: (profile: string) => string | null;
  /** A checkpoint of a session; null: it is no longer there. */
  readonly documentOf: (key: SessionKey, checkpointId: string) => Promise<CheckpointDocument | null>;
}

/** Each session's last checkpoint: as JSON, whole, and as a page of Markdown. */
export function checkpointCopies(dependencies: CheckpointCopiesDependencies): readonly Copy[] {
  const { stateFileOf, progressFileOf, documentOf } = dependencies;
  const copy = (
    given: Pick<Copy, "what" | "extension" | "fileOf">,
    render: (document: CheckpointDocument) => string,
  ): Copy => ({
    ...given,
    textAfter(event) {
      if (event.type !== "checkpoint.saved") return null;
      const { checkpoint_id: id } = event.data;
      return async (key) => {
        const document = await documentOf(key, id);
        return document === null ? null : render(document);
      };
    },
  });
  return [
    copy(
      { what: "a session's checkpoint as JSON", extension: ".json", fileOf: stateFileOf },
      (document) => `${JSON.stringify(document, null, 2)}\n`,
    ),
    copy({ what: "a session's checkpoint as Markdown", extension: ".md", fileOf: progressFileOf }, markdownOf),
  ];
}
