/**
 * Addresses, by which a person names a run, a tick of it, or a field at that tick.
 *
 * | written | meaning |
 * | --- | --- |
 * | `trip-42` | the run; the beginning of its name is enough if it is unique |
 * | `trip-42@7` | its tick 7 |
 * | `trip-42:head` | its last tick |
 * | `trip-42~3` | three ticks before its last |
 * | `trip-42@7~3` | three ticks before tick 7 |
 * | `trip-42@7:world.spent` | a field as it was after tick 7 |
 *
 * Names of runs contain none of `@`, `~` and `:`, so an address can be read in only one way.
 *
 * @source Dendrer, appendix C
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/**
 * A parsed address. `tick` is the named tick; `back` is the number of ticks before it or, without it, before the
 * head.
 *
 * **Details**
 *
 * Without both, it means the run as a whole. `field` is `world.name` or `working.name`.
 */
export interface Address {
  /** The run's name, or its beginning. */
  readonly run: string
  readonly tick?: number
  readonly back?: number
  readonly field?: string
}

/** Error for text that is no address. */
export class AddressInvalid extends Schema.TaggedError<AddressInvalid>("@backstitch/version-control/AddressInvalid")(
  "AddressInvalid",
  { text: Schema.String }
) {
  override get message(): string {
    return (
      `"${this.text}" names no run. Write RUN, RUN@TICK, RUN~3 or RUN:head, ` +
      "and RUN@TICK:world.FIELD or RUN@TICK:working.FIELD for a field"
    )
  }
}

/** Error for an address with more parts, or fewer, than a command needs. */
export class AddressUnsuited extends Schema.TaggedError<AddressUnsuited>("@backstitch/version-control/AddressUnsuited")(
  "AddressUnsuited",
  { text: Schema.String, wanted: Schema.Literals(["run", "tick", "place", "field"]) }
) {
  override get message(): string {
    const wanted = {
      run: "a whole run is meant here: leave out the tick and the field",
      tick: "name the tick, as in RUN@7, RUN~3 or RUN:head",
      place: "a run or a tick is meant here: leave out the field",
      field: "name the field, as in RUN@7:world.spent"
    }[this.wanted]
    return `"${this.text}" is not what is asked for: ${wanted}`
  }
}

/** Error for the beginning of a name that several runs share. */
export class RunAmbiguous extends Schema.TaggedError<RunAmbiguous>("@backstitch/version-control/RunAmbiguous")(
  "RunAmbiguous",
  { run: Schema.String, runs: Schema.Array(Schema.String), more: Schema.Natural }
) {
  override get message(): string {
    const more = this.more === 0 ? "" : ` and ${this.more} more`
    return `"${this.run}" begins the names of several runs: ${this.runs.join(", ")}${more}. Write more of the name`
  }
}

/** Error for an address of a tick before the first or after the last. */
export class AddressOutOfRange extends Schema.TaggedError<AddressOutOfRange>(
  "@backstitch/version-control/AddressOutOfRange"
)("AddressOutOfRange", { address: Schema.String, run: Schema.String, tick: Schema.Number, last: Schema.Natural }) {
  override get message(): string {
    return `${this.address} would be tick ${this.tick}, and run ${this.run} has ticks 1 to ${this.last}`
  }
}

const pattern =
  /^([A-Za-z0-9][A-Za-z0-9._-]*)(?:@(\d{1,15})|:(head))?(?:~(\d{0,15}))?(?::((?:world|working)\.[^:@~]+))?$/

/**
 * Reads an address.
 *
 * **Example** (Three ticks before the last)
 *
 * ```ts import.meta.vitest
 * import { Address } from "@backstitch/version-control"
 * import { Result } from "effect"
 *
 * const address = Result.getOrThrow(Address.parse("trip-42~3"))
 * Result.getOrThrow(Address.tickOf(address, { run: "trip-42", last: 18 })) // => 15
 * ```
 */
export const parse = (text: string): Result.Result<Address, AddressInvalid> => {
  const found = pattern.exec(text.trim())
  if (found === null) return Result.fail(new AddressInvalid({ text }))
  const [, run = "", tick, head, back, field] = found
  const steps = back === undefined ? undefined : back === "" ? 1 : Number(back)
  const behind = steps ?? (head === undefined ? undefined : 0)
  return Result.succeed({
    run,
    ...(tick === undefined ? {} : { tick: Number(tick) }),
    ...(behind === undefined ? {} : { back: behind }),
    ...(field === undefined ? {} : { field })
  })
}

/** Tells whether an address names a tick, not the whole run. */
export const namesTick = (self: Address): boolean => self.tick !== undefined || self.back !== undefined

/** The tick that an address names in a run with the last tick `last`; for a whole run, `last`. */
export const tickOf = (
  self: Address,
  { last, run }: { readonly run: string; readonly last: number }
): Result.Result<number, AddressOutOfRange> => {
  const tick = (self.tick ?? last) - (self.back ?? 0)
  return tick >= 1 && tick <= last
    ? Result.succeed(tick)
    : Result.fail(new AddressOutOfRange({ address: format(self), run, tick, last }))
}

/**
 * The run that a name means, among given runs: the one of that name, or the only one whose name begins with it.
 *
 * **Details**
 *
 * `undefined` if no name begins with it.
 */
export const choose = (name: string, runs: Iterable<string>): Result.Result<string | undefined, RunAmbiguous> => {
  const begun: Array<string> = []
  for (const run of runs) {
    if (run === name) return Result.succeed(run)
    if (run.startsWith(name)) begun.push(run)
  }
  return begun.length <= 1
    ? Result.succeed(begun[0])
    : Result.fail(new RunAmbiguous({ run: name, runs: begun.sort().slice(0, 5), more: Math.max(0, begun.length - 5) }))
}

/** Writes an address, in the form that {@link parse} reads. */
export const format = ({ back, field, run, tick }: Address): string =>
  [
    run,
    tick === undefined ? (back === 0 ? ":head" : "") : `@${tick}`,
    back === undefined || (back === 0 && tick === undefined) ? "" : `~${back}`,
    field === undefined ? "" : `:${field}`
  ].join("")
