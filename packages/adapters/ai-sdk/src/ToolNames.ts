/**
 * The names under which a model is offered tools. Providers accept letters, digits, underscores and hyphens, where a
 * contract accepts more.
 */
import * as Limits from "./Limits.ts"

/** Names in both directions. */
export interface ToolNames {
  readonly offered: (name: string) => string
  /** The name in the contract; `undefined` if no such tool was offered. */
  readonly meant: (offered: string) => string | undefined
}

/** Gives each name one that a provider accepts, and that no other has. The first names keep theirs. */
export const of = (names: Iterable<string>): ToolNames => {
  const offered = new Map<string, string>()
  const meant = new Map<string, string>()
  for (const name of names) {
    if (offered.has(name)) continue
    const stem = name.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, Limits.showing.toolNameCharactersMax) || "tool"
    let free = stem
    for (let count = 2; meant.has(free); count++) {
      const end = `_${count}`
      free = `${stem.slice(0, Limits.showing.toolNameCharactersMax - end.length)}${end}`
    }
    offered.set(name, free)
    meant.set(free, name)
  }
  return { offered: (name) => offered.get(name) ?? name, meant: (name) => meant.get(name) }
}
