/**
 * A finding in words: what was found, what was wanted instead, and what may be done next.
 *
 * @source docs/decisions/0027
 */
import type { Json } from "@backstitch/trace/Canonical"
import type { Next } from "./Next.ts"

/** A finding in words. `what` is found; `why` is what holds where it is not found, for a check. */
export interface Said {
  readonly what: string
  readonly why?: string
  readonly next: ReadonlyArray<Next>
}

/** Tells a finding that is an argument of another one; a text that somebody wrote is told as it is. */
export type Tell = (finding: Json) => string

/** Tells findings in one line, each sentence once: several sources may lack the same. */
export const tellAll = (findings: ReadonlyArray<Json>, tell: Tell): string =>
  [...new Set(findings.map(tell))].join("; ")

/** Makes a finding in words. */
export const said = (what: string, why?: string, ...next: ReadonlyArray<Next>): Said =>
  why === undefined ? { next, what } : { next, what, why }

/** Makes a finding in words that says nothing of what was wanted instead. */
export const fact = (what: string, ...next: ReadonlyArray<Next>): Said => ({ next, what })
