import { z } from "zod";
import { ContextdError } from "../../model/errors.ts";
import type { JsonObject } from "../../model/json.ts";
import { MESSAGE_FORMATS } from "../../model/message.ts";
import type { Services } from "../hook.ts";
import { ingest, ingestTools } from "../ingest.ts";
import { UNNAMED_MODEL } from "../learned-models.ts";
import { limitsOf, measure } from "../measure.ts";
import { checkOrder } from "../order.ts";
import type { Session } from "../session.ts";
import { type SizedWindow, sizeWindow } from "../window-size.ts";
import { lastCheckpoint } from "../windows/checkpoint.ts";
import { bootstrapOf, bootstrapResult } from "../windows/resume.ts";
import { command, json, mutating, readingResult, sessionId, windowSourceResult, wireMessage } from "./command.ts";

const text = z.string().max(1_000_000);

/** Names under which agents know a tool that brings evicted content back by its handle. */
const RECALL_TOOL = /recall/i;

const GUIDANCE =
  "Your context is managed: older tool results may be replaced by one-line placeholders, and old steps may be removed. " +
  "What a placeholder names is not lost. If you need the exact text again, read the file or run the command again";
const GUIDANCE_RECALL = ", or call your recall tool with the handle (h-…) that the placeholder shows";
/** Names under which agents know a tool that writes notes: `note_write`, `add_note`, `notes`; not `notebook_edit`. */
const NOTE_TOOL = /(?:^|[_.-])notes?(?:$|[_.-])/i;
const GUIDANCE_NOTES =
  ". What you write with your note tool is kept in view word for word, whatever else is removed: note what you decided and must not forget";

const GUIDANCE_END = ". Do not repeat work only because its output is no longer shown.";

/** The window that a session is opened with. `asked`: by the call. */
function windowFor({ settings, model, learnedWindow }: Services, asked: number | null, own: JsonObject): SizedWindow {
  const ofSettings = settings.max_context_tokens;
  const isOwn = typeof own["max_context_tokens"] === "number";
  return sizeWindow({
    session: asked ?? (isOwn ? ofSettings : null),
    profile: ofSettings,
    model,
    learned: learnedWindow,
  });
}

function guidanceFor({ canRecall, tools }: Session): string {
  const notes = tools.some(({ tool }) => NOTE_TOOL.test(tool?.name ?? ""));
  return GUIDANCE + (canRecall ? GUIDANCE_RECALL : "") + (notes ? GUIDANCE_NOTES : "") + GUIDANCE_END;
}

export const sessionOpen = command({
  name: "session.open",
  summary: "Opens a session: one agent task with its model, message format, task, system prompt and tools.",
  scope: "agent",
  mutates: true,
  params: z.strictObject({
    ...mutating,
    session_id: sessionId.optional().describe("Chosen by the daemon when absent."),
    agent: z.string().max(256).default("agent"),
    profile: z.string().max(128).optional().describe("Default: the config's `profile`."),
    model: z.string().max(256).default(UNNAMED_MODEL),
    message_format: z.enum(MESSAGE_FORMATS).default("openai"),
    max_context_tokens: z
      .number()
      .int()
      .min(256)
      .optional()
      .describe("The window; default: the profile's, else the model's. Never more than was learned of the model."),
    max_output_tokens: z.number().int().min(1).optional(),
    task: z
      .strictObject({
        goal: text,
        success_criteria: z.array(text).max(1000).default([]),
        constraints: z.array(text).max(1000).default([]),
      })
      .optional(),
    system: json.optional().describe("System prompt: text, or the parts of the message format."),
    tools: z.array(wireMessage).max(4096).optional().describe("Tool definitions in the message format."),
    can_recall: z
      .boolean()
      .optional()
      .describe("The agent can quote handles (default: true when a tool's name has `recall` in it)."),
    settings: z
      .looseObject({})
      .optional()
      .describe("The session's own settings over its profile's: same keys as the config."),
    parent: z
      .strictObject({
        session_id: sessionId,
        delegation_id: z.string().min(1).max(64),
        depth: z.number().int().min(1).max(1000),
        budget_tokens: z.number().int().min(1),
      })
      .optional()
      .describe("The delegation that the session works for; delegation.open gives it."),
    resume: z.boolean().default(false).describe("Go on with the session if it is open, instead of refusing."),
  }),
  result: z.object({
    session_id: z.string(),
    resumed: z.boolean(),
    window_id: z.string(),
    turn: z.number(),
    revision: z.number(),
    max_context_tokens: z.number(),
    window_guessed: z.boolean(),
    window_source: windowSourceResult,
    thresholds: z.object({ yellow: z.number(), orange: z.number(), red: z.number() }),
    reading: readingResult,
    bootstrap: bootstrapResult.nullable().describe("What to go on with; null for a session that was just opened."),
    guidance: z.string(),
  }),
  arrivals(params, _session, format) {
    return params.system === undefined ? [] : [{ split: format.splitSystem(params.system, "system"), path: "system" }];
  },
  decide(hook, params, { arrivals }) {
    const { session, services } = hook;
    const resumed = session.position > 0;
    if (resumed && !params.resume) {
      throw new ContextdError(
        "session_exists",
        `Session ${session.key.id} is open already: pass \`resume: true\` to go on with it, or close it first.`,
      );
    }
    if (resumed) {
      hook.emit("session.resumed", {
        turn: session.turn,
        window_id: session.windowId,
        window_number: session.windowNumber,
        checkpoint_id: lastCheckpoint(session)?.id ?? null,
      });
    } else {
      const tools = (params.tools ?? []).map((tool, index) => services.format.splitTool(tool, `tools[${index}]`));
      checkOrder(session, arrivals, ["system"]);
      const own = (params.settings ?? {}) as JsonObject;
      const { tokens: maxTokens, source } = windowFor(services, params.max_context_tokens ?? null, own);
      hook.emit("session.opened", {
        agent: params.agent,
        profile: services.profile,
        model: params.model,
        message_format: params.message_format,
        max_context_tokens: maxTokens,
        window_guessed: source.from === "guessed",
        window_source: source,
        task: params.task ?? null,
        settings: own,
        parent: params.parent ?? null,
        can_recall: params.can_recall ?? tools.some((tool) => RECALL_TOOL.test(tool.name)),
      });
      hook.emit("window.opened", {
        window_id: `${session.key.id}#1`,
        number: 1,
        max_tokens: maxTokens,
        cause: "session",
        checkpoint_id: null,
      });
      ingest(hook, arrivals);
      ingestTools(hook, tools);
      measure(hook, "within");
    }
    return {
      session_id: session.key.id,
      resumed,
      window_id: session.windowId,
      turn: session.turn,
      revision: 0,
      max_context_tokens: session.maxTokens,
      window_guessed: session.windowGuessed,
      window_source: session.windowSource,
      thresholds: limitsOf(session, services).thresholds,
      reading: session.reading as z.infer<typeof readingResult>,
      bootstrap: null,
      guidance: guidanceFor(session),
    };
  },
  complete: ({ session, services }, _params, stored) => ({
    ...stored,
    revision: session.revision,
    bootstrap: stored.resumed ? bootstrapOf(session, services) : null,
  }),
});
