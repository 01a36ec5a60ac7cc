/**
 * The `readback` of a contract, built from the pattern of the kind of system that it reads.
 *
 * A pattern names the admissible source and the fields that the readback has to return. It has one expectation for
 * each known failure of such systems (its indicators), and further ones for other facts to confirm (its parameters).
 * The ledger shows a failure under its name, with the record and the class that recovery answers.
 *
 * The wanted values of a case, such as the tenant or the amount, are given as expressions of the contract: `args`,
 * `observed` and `key` are in scope.
 *
 * **Gotchas**
 *
 * A pattern reads nothing by itself. The readback function of the tool has to return the fields that {@link fields}
 * lists; without a field, its predicate cannot be evaluated and counts as unmet. If the system has no record, the
 * function returns `undefined`: then `actual` is `null`, and the failure has a name.
 *
 * A field with the name of an argument in the tool's target counts as the target of the record. Give such arguments
 * names that the pattern's fields do not have, unless they mean the same.
 *
 * @source Action Verification, "Post-Action Check Pattern Library"
 */
import type { Expectation, Readback } from "@backstitch/contracts/Definition"
import type { ReadOrigin } from "@backstitch/contracts/Readback"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import {
  type IndicatorOf,
  type ParameterOf,
  type Pattern,
  type PatternCheck,
  type PatternName,
  patterns
} from "./Pattern.ts"

/** Error for a pattern with a wanted value that is not given. */
export class WantMissing extends Schema.TaggedError<WantMissing>("@backstitch/patterns/WantMissing")("WantMissing", {
  pattern: Schema.String,
  missing: Schema.Array(Schema.String)
}) {
  override get message(): string {
    const open = this.missing.join(", ")
    return `Pattern ${this.pattern} compares ${open} with a wanted value, and has none: give an expression for each`
  }
}

/** A readback as a pack states it. */
export interface PatternReadback {
  readonly source: string
  readonly from: ReadOrigin
  readonly consistency: "strong"
  readonly expect: ReadonlyArray<Expectation>
  readonly within?: string
  readonly poll?: string
  readonly sources?: NonNullable<Readback["sources"]>
}

/**
 * Builds the readback of a contract from a pattern.
 *
 * **Details**
 *
 * Every indicator of the pattern is checked. `without` leaves out failures that cannot occur, `confirm` adds
 * parameters, and `also` adds conditions of the business. `sources` are further sources that have to agree; a
 * critical mutation needs at least one. The answer is plain data, for a pack in code or in a file. Its `from` names
 * the origin of the record; the kernel accepts no confirmation from an origin that the tool's class does not admit.
 *
 * **Example** (Reading back a file)
 *
 * ```ts import.meta.vitest
 * import { VerificationPattern } from "@backstitch/patterns"
 * import { Result } from "effect"
 *
 * const readback = VerificationPattern.readback("filesystem", {
 *   wants: { root: "'/srv/box'", size: "args.size" },
 *   without: ["hash_differs", "unexpected_mode", "extension_not_allowed", "destructive", "missing_file"],
 *   confirm: ["size"],
 *   within: "5s"
 * })
 * const { expect } = Result.getOrThrow(readback)
 *
 * expect[1] // => { id: "size", holds: "actual.size == args.size", otherwise: "value_mismatch" }
 * ```
 */
export const readback = <const Name extends PatternName>(
  name: Name,
  options: {
    readonly wants?: Readonly<Record<string, string>>
    readonly without?: ReadonlyArray<IndicatorOf<Name>>
    readonly confirm?: ReadonlyArray<ParameterOf<Name>>
    readonly also?: ReadonlyArray<Expectation>
    readonly within?: string
    readonly poll?: string
    readonly sources?: NonNullable<Readback["sources"]>
  } = {}
): Result.Result<PatternReadback, WantMissing> => {
  const { also = [], confirm = [], poll, sources, wants: given = {}, within, without = [] } = options
  const used = checksOf(name, { confirm, without })
  const missing = wantsOf(used).filter((want) => given[want] === undefined)
  if (missing.length > 0) return Result.fail(new WantMissing({ pattern: name, missing }))
  const filled = used.map(([id, { holds, otherwise }]) => ({
    id,
    holds: holds.replace(want, (_, wanted: string) => operand(given[wanted]!)),
    otherwise
  }))
  return Result.succeed({
    source: name,
    from: patterns[name].source,
    consistency: "strong",
    expect: [...filled, ...also],
    ...(within === undefined ? {} : { within }),
    ...(poll === undefined ? {} : { poll }),
    ...(sources === undefined ? {} : { sources })
  })
}

/** Lists the names that `wants` has to give for a pattern with these parameters. */
export const wants = <const Name extends PatternName>(
  name: Name,
  confirm: ReadonlyArray<ParameterOf<Name>> = []
): ReadonlyArray<string> => wantsOf(checksOf(name, { confirm }))

/** The fields of the system of record that a pattern reads with these parameters. */
export const fields = <const Name extends PatternName>(
  name: Name,
  confirm: ReadonlyArray<ParameterOf<Name>> = []
): ReadonlyArray<string> => [
  ...new Set(
    checksOf(name, { confirm }).flatMap(([, { holds }]) =>
      [...holds.matchAll(/actual\.(\w+)/g)].map((match) => match[1]!)
    )
  )
]

const want = /\$(\w+)/g

type Named = readonly [string, PatternCheck]

const wantsOf = (checks: ReadonlyArray<Named>): ReadonlyArray<string> => [
  ...new Set(checks.flatMap(([, { holds }]) => [...holds.matchAll(want)].map((match) => match[1]!)))
]

/** An expression that is more than a name or a literal is put into parentheses. */
const operand = (source: string): string => (/^([\w.]+|'[^']*'|"[^"]*")$/.test(source) ? source : `(${source})`)

const checksOf = (
  name: PatternName,
  { confirm, without = [] }: { readonly confirm: ReadonlyArray<string>; readonly without?: ReadonlyArray<string> }
): ReadonlyArray<Named> => {
  const { indicators, parameters }: Pattern = patterns[name]
  return [
    ...Object.entries(indicators).filter(([id]) => !without.includes(id)),
    ...Object.entries(parameters).filter(([id]) => confirm.includes(id))
  ]
}
