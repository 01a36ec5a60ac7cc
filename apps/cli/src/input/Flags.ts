/** Flags in the form for handlers: `undefined` if not given. */
import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"
import * as Param from "effect/cli/Param"
import * as Primitive from "effect/cli/Primitive"
import * as Option from "effect/Option"

/** The name of a file or a folder, as it was typed. A shell completes it. */
const typed = (kind: Primitive.PathType) => Object.assign(Primitive.Path(kind), { parse: Primitive.String.parse })

/** A flag that names a file or a folder. */
export const path = (name: string, kind: Primitive.PathType): Flag.Flag<string> =>
  Param.makeSingle({ kind: Param.flagKind, name, primitiveType: typed(kind) })

/** An argument that names a file. */
export const fileArgument = (name: string): Argument.Argument<string> =>
  Param.makeSingle({ kind: Param.argumentKind, name, primitiveType: typed("file") })

const given = (self: Flag.Flag<string>, metavar: string, description: string): Flag.Flag<string | undefined> =>
  self.pipe(
    Flag.withMetavar(metavar),
    Flag.withDescription(description),
    Flag.optional,
    Flag.map(Option.getOrUndefined)
  )

/** An optional name of a file. */
export const file = (name: string, metavar: string, description: string): Flag.Flag<string | undefined> =>
  given(path(name, "file"), metavar, description)

/** An optional name of a folder. */
export const folder = (name: string, metavar: string, description: string): Flag.Flag<string | undefined> =>
  given(path(name, "directory"), metavar, description)

/** An optional text. */
export const text = (name: string, metavar: string, description: string): Flag.Flag<string | undefined> =>
  given(Flag.String(name), metavar, description)

/** An optional tick. */
export const tick = (name: string, description: string): Flag.Flag<number | undefined> =>
  Flag.Int(name).pipe(
    Flag.withMetavar("TICK"),
    Flag.withDescription(description),
    Flag.optional,
    Flag.map(Option.getOrUndefined)
  )

/** An optional time, as a date or a time in ISO form, in epoch milliseconds. */
export const time = (name: string, description: string): Flag.Flag<number | undefined> =>
  Flag.String(name).pipe(
    Flag.withMetavar("TIME"),
    Flag.withDescription(description),
    Flag.map((text) => (/^\d{4}-\d\d-\d\d(T|$)/.test(text) ? Date.parse(text) : Number.NaN)),
    Flag.filter(
      (given) => !Number.isNaN(given),
      () => `--${name} takes a date or a time in ISO form, such as 2026-11-27 or 2026-11-27T08:00Z`
    ),
    Flag.optional,
    Flag.map(Option.getOrUndefined)
  )

/** An optional number, at least 1, that has to be reached. */
export const atLeastOne = (name: string, metavar: string, description: string): Flag.Flag<number | undefined> =>
  Flag.Int(name).pipe(
    Flag.withMetavar(metavar),
    Flag.withDescription(description),
    Flag.filter(
      (given) => given >= 1,
      (given) => `--${name} has to be 1 or more, and not ${given}`
    ),
    Flag.optional,
    Flag.map(Option.getOrUndefined)
  )

/** An optional port of this machine. */
export const port = (name: string, description: string): Flag.Flag<number | undefined> =>
  Flag.Int(name).pipe(
    Flag.withMetavar("PORT"),
    Flag.withDescription(description),
    Flag.filter(
      (given) => given >= 0 && given <= 65_535,
      (given) => `--${name} has to be from 0 to 65535, and not ${given}`
    ),
    Flag.optional,
    Flag.map(Option.getOrUndefined)
  )

/** The largest number of entries that are shown. */
export const limit = (metavar: string, description: string, most: number): Flag.Flag<number> =>
  Flag.Int("limit").pipe(
    Flag.withMetavar(metavar),
    Flag.withDescription(description),
    Flag.withDefault(most),
    Flag.filter(
      (given) => given >= 1,
      (given) => `--limit has to be 1 or more, and not ${given}`
    )
  )

/** An optional choice among words. */
export const choice = <const Words extends ReadonlyArray<string>>(
  name: string,
  words: Words,
  description: string
): Flag.Flag<Words[number] | undefined> =>
  Flag.Literals(name, words).pipe(Flag.withDescription(description), Flag.optional, Flag.map(Option.getOrUndefined))

/** Lets a flag be given any number of times. Without a default, its help would call it required. */
export const repeated = <Given>(self: Flag.Flag<Given>): Flag.Flag<ReadonlyArray<Given>> =>
  self.pipe(Flag.atLeast(0), Flag.withDefault([]))

/** Text that may be given any number of times. */
export const texts = (name: string, metavar: string, description: string): Flag.Flag<ReadonlyArray<string>> =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description), repeated)

/** A switch, off unless given. */
export const flag = (name: string, description: string): Flag.Flag<boolean> =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false), Flag.withoutNegation)

/** The run that a command is about. */
export const run = Argument.String("run").pipe(
  Argument.withMetavar("RUN"),
  Argument.withDescription("Name of the run, or the beginning of it where it is the only one")
)

/** The module whose default export is the agent. */
export const agent = file(
  "agent",
  "FILE",
  "Module whose default export is the agent: pack, goal, steps or next, tools; with --server, the name that it has there"
)

/** The dial for whole snapshots. */
export const snapshots = text(
  "snapshots",
  "DIAL",
  "When a snapshot is kept: micro (every commit), tool (every call), every:N (ticks), never, or auto (step by step)"
)
