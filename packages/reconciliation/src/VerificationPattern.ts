/**
 * How twelve kinds of systems are read back, as building blocks for the `readback` of a contract.
 *
 * A pattern says which source may answer, which fields the readback has to
 * show, and one predicate for each way in which such systems are known to fail.
 * What is wanted in the case at hand (which tenant, which amount) is filled in
 * with expressions of the contract: `args`, `observed` and `key` are in scope.
 *
 * **Gotchas**
 *
 * A pattern reads nothing by itself. The readback function of the tool has to
 * return the fields that {@link fields} lists; a field that it leaves out makes
 * its predicate unanswerable, and so unmet.
 *
 * @source seed 4, "Post-Action Check Pattern Library"
 * @since 0.1.0
 */
import type { Definition } from "@backstitch/contracts/Definition"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Discrepancy from "./Discrepancy.ts"
import * as patternCatalog from "./internal/patternCatalog.ts"
import type * as VerificationDepth from "./VerificationDepth.ts"

/**
 * One way in which a system fails: the predicate that shows it, and the class that it is taken for.
 *
 * **Details**
 *
 * In `expect`, `$name` stands for what is wanted; {@link wants} lists the names.
 *
 * @category models
 * @since 0.1.0
 */
export interface Indicator {
  readonly expect: string
  readonly class: Discrepancy.Class
}

/**
 * A pattern.
 *
 * @category models
 * @since 0.1.0
 */
export interface Pattern {
  readonly source: VerificationDepth.Source
  readonly reads: string
  readonly indicators: Readonly<Record<string, Indicator>>
}

/**
 * The twelve patterns, in the order of the seed.
 *
 * @category constants
 * @since 0.1.0
 */
export const patterns: { readonly [Name in PatternName]: Pattern } = patternCatalog.patterns

/**
 * Name of a pattern.
 *
 * @category models
 * @since 0.1.0
 */
export type PatternName = keyof typeof patternCatalog.patterns

/**
 * The failures that a pattern knows.
 *
 * @category models
 * @since 0.1.0
 */
export type IndicatorOf<Name extends PatternName> = keyof (typeof patternCatalog.patterns)[Name]["indicators"] & string

/**
 * Error for a pattern of which something is left open.
 *
 * @category errors
 * @since 0.1.0
 */
export class WantMissing extends Schema.TaggedError<WantMissing>("@backstitch/reconciliation/WantMissing")(
  "WantMissing",
  {
    pattern: Schema.String,
    missing: Schema.Array(Schema.String)
  }
) {
  override get message(): string {
    const open = this.missing.join(", ")
    return `Pattern ${this.pattern} needs what is wanted of ${open}: give an expression, or leave out what needs it`
  }
}

/**
 * A readback as a pack states it.
 *
 * @category models
 * @since 0.1.0
 */
export type ReadbackDefinition = NonNullable<NonNullable<Definition["tools"]>[string]["readback"]>

/**
 * Builds the readback of a contract from a pattern.
 *
 * **Details**
 *
 * `without` leaves out failures that cannot occur in the case at hand; `also`
 * adds predicates of the business.
 *
 * **Example** (Reading back a file)
 *
 * ```ts import.meta.vitest
 * import { VerificationPattern } from "@backstitch/reconciliation"
 * import { Result } from "effect"
 *
 * const readback = VerificationPattern.readback("filesystem", {
 *   wants: { root: "'/srv/box/'", hash: "args.hash" },
 *   without: ["unexpected_mode", "extension_not_allowed", "destructive", "missing_file"],
 *   within: "5s"
 * })
 * const { expect } = Result.getOrThrow(readback)
 *
 * expect // => ["actual.path.startsWith('/srv/box/')", "actual.hash == args.hash"]
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const readback = <const Name extends PatternName>(
  name: Name,
  options: {
    readonly wants?: Readonly<Record<string, string>>
    readonly without?: ReadonlyArray<IndicatorOf<Name>>
    readonly also?: ReadonlyArray<string>
    readonly within?: string
    readonly poll?: string
  } = {}
): Result.Result<ReadbackDefinition, WantMissing> => {
  const { also = [], poll, wants: given = {}, within, without = [] } = options
  const used = indicatorsOf(name).filter(([indicator]) => !(without as ReadonlyArray<string>).includes(indicator))
  const missing = [...new Set(used.flatMap(([, { expect }]) => wantsIn(expect)))].filter(
    (want) => given[want] === undefined
  )
  if (missing.length > 0) return Result.fail(new WantMissing({ pattern: name, missing }))
  return Result.succeed({
    source: patterns[name].source,
    consistency: "strong",
    expect: [
      ...used.map(([, { expect }]) => expect.replace(want, (_, wanted: string) => operand(given[wanted]!))),
      ...also
    ],
    ...(within === undefined ? {} : { within }),
    ...(poll === undefined ? {} : { poll })
  })
}

/**
 * What has to be said of a case before a pattern can be used.
 *
 * @category getters
 * @since 0.1.0
 */
export const wants = (name: PatternName): ReadonlyArray<string> => [
  ...new Set(indicatorsOf(name).flatMap(([, { expect }]) => wantsIn(expect)))
]

/**
 * The fields of the system of record that a pattern looks at.
 *
 * @category getters
 * @since 0.1.0
 */
export const fields = (name: PatternName): ReadonlyArray<string> => [
  ...new Set(
    indicatorsOf(name).flatMap(([, { expect }]) => [...expect.matchAll(/actual\.(\w+)/g)].map((match) => match[1]!))
  )
]

const want = /\$(\w+)/g

const wantsIn = (expect: string): ReadonlyArray<string> => [...expect.matchAll(want)].map((match) => match[1]!)

/** An expression that is more than a name or a literal keeps its meaning inside another one by parentheses. */
const operand = (source: string): string => (/^([\w.]+|'[^']*'|"[^"]*")$/.test(source) ? source : `(${source})`)

const indicatorsOf = (name: PatternName): ReadonlyArray<readonly [string, Indicator]> =>
  Object.entries(patterns[name].indicators)
