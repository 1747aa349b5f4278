import { auditList } from "./audit-list.ts";
import { budgetCheck } from "./budget-check.ts";
import { budgetReportCommand } from "./budget-report.ts";
import { checkpointGet } from "./checkpoint-get.ts";
import { checkpointList } from "./checkpoint-list.ts";
import { checkpointLoad } from "./checkpoint-load.ts";
import { checkpointSave } from "./checkpoint-save.ts";
import type { AnyCommand } from "./command.ts";
import { contentGet } from "./content-get.ts";
import { contentRecall } from "./content-recall.ts";
import { contentSearch } from "./content-search.ts";
import { contextAppend } from "./context-append.ts";
import { contextCompact } from "./context-compact.ts";
import { contextExplain } from "./context-explain.ts";
import { contextGet } from "./context-get.ts";
import { contextPin, contextUnpin } from "./context-pin.ts";
import { contextRestore } from "./context-restore.ts";
import { delegationClose } from "./delegation-close.ts";
import { delegationOpen } from "./delegation-open.ts";
import { fidelityEvaluate } from "./fidelity-evaluate.ts";
import { noteList } from "./note-list.ts";
import { noteWrite } from "./note-write.ts";
import { onOverflow } from "./on-overflow.ts";
import { onToolResult } from "./on-tool-result.ts";
import { onTurnEnd } from "./on-turn-end.ts";
import { onTurnStart } from "./on-turn-start.ts";
import { passExplain } from "./pass-explain.ts";
import { sessionClose } from "./session-close.ts";
import { sessionConfigure } from "./session-configure.ts";
import { sessionExport } from "./session-export.ts";
import { sessionGet } from "./session-get.ts";
import { sessionOpen } from "./session-open.ts";
import { taskGet } from "./task-get.ts";
import { taskUpdate } from "./task-update.ts";
import { trendReport } from "./trend-report.ts";
import { windowOpen } from "./window-open.ts";

/** Every call on a session. A new one is a file here and a line in this list. */
export const commands = {
  "session.open": sessionOpen,
  "session.close": sessionClose,
  "session.get": sessionGet,
  "session.export": sessionExport,
  "session.configure": sessionConfigure,
  on_turn_start: onTurnStart,
  on_turn_end: onTurnEnd,
  on_tool_result: onToolResult,
  on_overflow: onOverflow,
  "context.get": contextGet,
  "context.append": contextAppend,
  "context.compact": contextCompact,
  "context.pin": contextPin,
  "context.unpin": contextUnpin,
  "context.restore": contextRestore,
  "context.explain": contextExplain,
  "content.get": contentGet,
  "pass.explain": passExplain,
  "content.recall": contentRecall,
  "content.search": contentSearch,
  "note.write": noteWrite,
  "note.list": noteList,
  "task.update": taskUpdate,
  "task.get": taskGet,
  "window.open": windowOpen,
  "checkpoint.save": checkpointSave,
  "checkpoint.load": checkpointLoad,
  "checkpoint.get": checkpointGet,
  "checkpoint.list": checkpointList,
  "delegation.open": delegationOpen,
  "delegation.close": delegationClose,
  "budget.check": budgetCheck,
  "budget.report": budgetReportCommand,
  "fidelity.evaluate": fidelityEvaluate,
  "audit.list": auditList,
  "trend.report": trendReport,
} as const satisfies Record<string, AnyCommand>;
