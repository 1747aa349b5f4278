import { type Config, NO_PLUGINS } from "../../src/config/index.ts";
import { openNeedModel } from "../../src/need-models.ts";
import { Shadow } from "../../src/shadow/index.ts";
import { MemoryJournal } from "../../src/store/memory/memory-journal.ts";
import { ModelCatalogue, TokenCounter } from "../../src/tokens/index.ts";
import { configWith } from "../config/config-with.ts";
import { type ManagerOptions, TENANT, TestManager, VirtualClock } from "./manager.ts";
import { RecordingLog } from "./recording-log.ts";

const counter = new TokenCounter({ workerUrl: null });
const catalogue = new ModelCatalogue({});

/** A manager whose sessions are watched as the config says, over a journal in memory. */
export class ShadowedManager {
  readonly journal = new MemoryJournal();
  readonly clock = new VirtualClock();
  readonly log = new RecordingLog();
  readonly shadow: Shadow;
  readonly host: TestManager;

  constructor(settings: Parameters<typeof configWith>[0] = {}, options: ManagerOptions = {}) {
    const config: Config = configWith(settings);
    this.shadow = new Shadow({
      config: () => config,
      catalogue: () => catalogue,
      plugins: NO_PLUGINS,
      counter,
      needModel: openNeedModel(config),
      clock: this.clock,
      journal: this.journal,
      log: this.log,
    });
    this.host = new TestManager({ checkReplies: false, ...options, config, journal: this.shadow.journal });
  }

  /** Figures of one session by policy, once all its calls have been followed. */
  async figures(id: string) {
    await this.shadow.settled();
    const session = this.shadow.sessions(TENANT).find(({ key }) => key.id === id);
    if (!session) throw new Error(`session ${id} is not watched`);
    return Object.fromEntries(session.records().map(({ policy, figures }) => [policy, figures]));
  }

  async stop(): Promise<void> {
    await this.host.manager.stop();
    await this.shadow.stop();
  }
}
