/**
 * The `readback` of a contract, built from the pattern of the kind of system that it reads.
 *
 * A pattern says which source may answer, which fields the readback has to
 * show, one expectation for each way in which such systems are known to fail
 * (its indicators), and further ones for whatever else is to be confirmed (its
 * parameters). A failure stands on the ledger under its name, with what the
 * record shows and the class that recovery answers.
 *
 * What is wanted in the case at hand (which tenant, which amount) is filled in
 * with expressions of the contract: `args`, `observed` and `key` are in scope.
 *
 * **Gotchas**
 *
 * A pattern reads nothing by itself. The readback function of the tool has to
 * return the fields that {@link fields} lists; a field that it leaves out makes
 * its predicate unanswerable, and so unmet. Where the system has no record, it
 * answers `undefined`: `actual` is `null` then, and the failure has a name.
 *
 * A field with the name of an argument that makes up the target of the tool is
 * taken for the target that the record is about. Give such arguments names that
 * the pattern's fields do not have, unless they mean the same.
 *
 * @source Action Verification, "Post-Action Check Pattern Library"
 */
import type { Expectation, Readback } from "@backstitch/contracts/Definition"
import type { Origin } from "@backstitch/contracts/Readback"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Check, type IndicatorOf, type ParameterOf, type Pattern, type PatternName, patterns } from "./Pattern.ts"

/** Error for a pattern of which something is left open. */
export class WantMissing extends Schema.TaggedError<WantMissing>("@backstitch/patterns/WantMissing")("WantMissing", {
  pattern: Schema.String,
  missing: Schema.Array(Schema.String)
}) {
  override get message(): string {
    const open = this.missing.join(", ")
    return `Pattern ${this.pattern} needs what is wanted of ${open}: give an expression, or leave out what needs it`
  }
}

/** A readback as a pack states it. */
export interface PatternReadback {
  readonly source: string
  readonly from: Origin
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
 * Every indicator of the pattern is checked. `without` leaves out failures that
 * cannot occur in the case at hand, `confirm` adds parameters, and `also` adds
 * conditions of the business. `sources` are further ones that have to agree,
 * of which a critical mutation needs at least one. The answer is plain data: it
 * stands in a pack in code as well as in a file. Its `from` says where such a
 * record comes from; the kernel confirms nothing by a source that the class of
 * the tool does not admit.
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

/** Lists the names that `wants` has to fill in before a pattern can be used with these parameters. */
export const wants = <const Name extends PatternName>(
  name: Name,
  confirm: ReadonlyArray<ParameterOf<Name>> = []
): ReadonlyArray<string> => wantsOf(checksOf(name, { confirm }))

/** The fields of the system of record that a pattern looks at with these parameters. */
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

type Named = readonly [string, Check]

const wantsOf = (checks: ReadonlyArray<Named>): ReadonlyArray<string> => [
  ...new Set(checks.flatMap(([, { holds }]) => [...holds.matchAll(want)].map((match) => match[1]!)))
]

/** An expression that is more than a name or a literal keeps its meaning inside another one by parentheses. */
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
