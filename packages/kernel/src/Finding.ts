/**
 * The codes that the kernel commits or answers, with the types of their arguments. Their words are elsewhere, in
 * `wording`: no sentence of ours is in a trace (decision 0027).
 *
 * **Example** (A finding, and a code that does not take these arguments)
 *
 * ```ts import.meta.vitest
 * import { Finding } from "@backstitch/kernel"
 *
 * Finding.make("sending.exhausted", { attempts: 8 }) // => { args: { attempts: 8 }, code: "sending.exhausted" }
 * Finding.isKnown({ args: { attempts: "often" }, code: "sending.exhausted" }) // => false
 * ```
 *
 * @source docs/decisions/0018, 0027
 * @since 0.1.0
 */
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Trace from "@backstitch/trace/Finding"
import * as Payload from "@backstitch/trace/Payload"
import * as Version from "@backstitch/version-control/Finding"
import type * as Schema from "effect/Schema"
import * as checks from "./internal/checkCodes.ts"
import * as evidence from "./internal/evidenceCodes.ts"
import * as outcomes from "./internal/outcomeCodes.ts"

/**
 * Every code, with the schema of its arguments.
 *
 * @category constants
 * @since 0.1.0
 */
export const codes = {
  ...checks.authorship,
  ...checks.shapes,
  ...checks.rules,
  ...checks.budgets,
  ...checks.keys,
  ...checks.decisions,
  ...outcomes.holds,
  ...outcomes.undoings,
  ...outcomes.causes,
  ...outcomes.reviews,
  ...outcomes.failures,
  ...evidence.silences,
  ...evidence.blindness,
  ...evidence.doubts,
  ...evidence.unmet,
  ...Version.codes
} as const satisfies Trace.Codes

/**
 * A code.
 *
 * @category models
 * @since 0.1.0
 */
export type Code = keyof typeof codes

/**
 * The arguments of a code.
 *
 * @category models
 * @since 0.1.0
 */
export type Args<C extends Code> = Trace.Args<typeof codes, C>

/**
 * A code with its arguments.
 *
 * @category models
 * @since 0.1.0
 */
export type Finding = Trace.Of<typeof codes>

/**
 * A finding by any code, of whatever package.
 *
 * @category models
 * @since 0.1.0
 */
export type Any = Trace.Finding

/**
 * Makes a finding.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = Trace.maker(codes)

/**
 * Tells whether a value has the form of a finding, whatever its code.
 *
 * @category guards
 * @since 0.1.0
 */
export const isFinding = Trace.isFinding

/**
 * Tells whether a text is a code of the kernel.
 *
 * @category guards
 * @since 0.1.0
 */
export const isCode = (code: string): code is Code => Object.hasOwn(codes, code)

/**
 * Tells whether a value is a finding by a code of the kernel, with arguments that fit it.
 *
 * @category guards
 * @since 0.1.0
 */
export const isKnown = (value: unknown): value is Finding =>
  Trace.isFinding(value) && isCode(value.code) && checkers.get(value.code)?.(value.args) === undefined

const checkers: ReadonlyMap<string, (args: unknown) => Payload.Problem | undefined> = new Map(
  Object.entries<Schema.Decoder<JsonObject>>(codes).map(([code, args]) => [code, Payload.checker(args)])
)
