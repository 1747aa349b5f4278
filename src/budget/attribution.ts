/** What of a tool stands in the context: its definition, or results of its calls. */
export type ToolContent = "definition" | "result";

/** Tokens of one tool. Snake case: it is a wire shape. */
export interface ToolTokens {
  readonly tool: string;
  /** The MCP server of a tool named `mcp__server__tool`, else null. */
  readonly server: string | null;
  readonly definition_tokens: number;
  readonly result_tokens: number;
  /** Live results. */
  readonly results: number;
}

/** Tokens of one MCP server; null stands for the agent's own tools. */
export interface ServerTokens {
  readonly server: string | null;
  readonly tools: number;
  readonly definition_tokens: number;
  readonly result_tokens: number;
}

interface Row {
  definitions: number;
  definitionTokens: number;
  results: number;
  resultTokens: number;
}

const MCP_PREFIX = "mcp__";

/** The server in `mcp__server__tool`; null for any other name. */
export function mcpServerOf(tool: string): string | null {
  if (!tool.startsWith(MCP_PREFIX)) return null;
  const end = tool.indexOf("__", MCP_PREFIX.length + 1);
  return end < 0 || end + 2 >= tool.length ? null : tool.slice(MCP_PREFIX.length, end);
}

/**
 * Tokens of the live blocks by tool, kept up to date block by block: a hook costs what is new. A tool without
 * live content is forgotten, so the tally is bounded by the context.
 */
export class ToolTally {
  readonly #rows = new Map<string, Row>();

  /** A block arrived: a tool's definition, or a result of its call. */
  add(content: ToolContent, tool: string, tokens: number): void {
    this.#change(content, tool, 1, tokens);
  }

  /** A block left, with the tokens it had last. Throws when no such block was added: the count would be wrong. */
  remove(content: ToolContent, tool: string, tokens: number): void {
    this.#change(content, tool, -1, -tokens);
  }

  /** A block's tokens changed: it was truncated, summarised, cleared or merged. */
  resize(content: ToolContent, tool: string, before: number, after: number): void {
    this.#change(content, tool, 0, after - before);
  }

  /** Tokens by tool, the biggest first. */
  byTool(): ToolTokens[] {
    return [...this.#rows]
      .map(([tool, row]) => ({
        tool,
        server: mcpServerOf(tool),
        definition_tokens: row.definitionTokens,
        result_tokens: row.resultTokens,
        results: row.results,
      }))
      .sort((a, b) => totalOf(b) - totalOf(a) || (a.tool < b.tool ? -1 : 1));
  }

  /** Tokens by MCP server, the biggest first. */
  byServer(): ServerTokens[] {
    const servers = new Map<string | null, ServerTokens>();
    for (const { server, definition_tokens, result_tokens } of this.byTool()) {
      const sum = servers.get(server) ?? { server, tools: 0, definition_tokens: 0, result_tokens: 0 };
      servers.set(server, {
        server,
        tools: sum.tools + 1,
        definition_tokens: sum.definition_tokens + definition_tokens,
        result_tokens: sum.result_tokens + result_tokens,
      });
    }
    return [...servers.values()].sort(
      (a, b) => totalOf(b) - totalOf(a) || ((a.server ?? "") < (b.server ?? "") ? -1 : 1),
    );
  }

  #change(content: ToolContent, tool: string, blocks: number, tokens: number): void {
    const row = this.#rows.get(tool) ?? { definitions: 0, definitionTokens: 0, results: 0, resultTokens: 0 };
    const next =
      content === "definition"
        ? { ...row, definitions: row.definitions + blocks, definitionTokens: row.definitionTokens + tokens }
        : { ...row, results: row.results + blocks, resultTokens: row.resultTokens + tokens };
    const counts = [next.definitions, next.results, next.definitionTokens, next.resultTokens];
    if (counts.some((count) => count < 0)) {
      throw new Error(`tally of tool ${tool}: more ${content} content leaves than came`);
    }
    if (next.definitions === 0 && next.results === 0) this.#rows.delete(tool);
    else this.#rows.set(tool, next);
  }
}

function totalOf(tokens: { readonly definition_tokens: number; readonly result_tokens: number }): number {
  return tokens.definition_tokens + tokens.result_tokens;
}
