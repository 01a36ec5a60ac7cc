/**
 * A run in one file, as JSON lines, for people who do not have our store.
 *
 * The first line is a header, then comes one line a transition, then the packs
 * and nodes that the run refers to. The three parts of a transition travel as
 * strings, so the bytes that were hashed are the bytes in the file. A fork is
 * exported with the history that it shares, from the genesis of its root.
 *
 * Reading checks the form alone. {@link verify} checks the chain (L3), and so
 * does `tooling/verify.py`, which shares no code with this module.
 *
 * @source docs/FORMAT.md
 * @since 0.1.0
 */

import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Canonical from "./Canonical.ts"
import * as Digest from "./Digest.ts"
import * as HashChain from "./HashChain.ts"
import { isCut, parse, shorten, splitLines } from "./internal/exportLine.ts"
import * as JsonText from "./JsonText.ts"
import * as Ontology from "./Ontology.ts"
import * as Payload from "./Payload.ts"
import { Run, RunId } from "./Run.ts"
import { type Body, type Sealed, Tick } from "./Transition.ts"

/**
 * Version of the format that this module writes, and the only one that it reads.
 *
 * @category constants
 * @since 0.1.0
 */
export const version = 1

/**
 * An ancestor of a fork, and the last tick that the next run of the lineage shares with it.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Ancestor = Schema.Struct({ id: RunId, tick: Tick })

/**
 * An ancestor of a fork, and the last tick that the next run of the lineage shares with it.
 *
 * @category models
 * @since 0.1.0
 */
export type Ancestor = typeof Ancestor.Type

/**
 * A run as it is exported. `lineage` names the ancestors of a fork, the root first.
 *
 * @category models
 * @since 0.1.0
 */
export interface Export {
  readonly run: Run
  readonly ontology: number
  readonly lineage: ReadonlyArray<Ancestor>
  readonly head: HashChain.Head
  readonly transitions: ReadonlyArray<Sealed>
  readonly blobs: ReadonlyMap<Digest.Digest, string>
}

/**
 * Error for a file that is not an export, or is one of a version that this module cannot read.
 *
 * @category errors
 * @since 0.1.0
 */
export class ExportUnsupported extends Schema.TaggedError<ExportUnsupported>("@backstitch/trace/ExportUnsupported")(
  "ExportUnsupported",
  { found: Schema.String }
) {
  override get message(): string {
    const remedy = "Export the run again, or read the file with the version that wrote it"
    return `The file is ${this.found}, and this version reads backstitch-trace ${version}. ${remedy}`
  }
}

/**
 * Error for a file that ends before its header says that it does.
 *
 * @category errors
 * @since 0.1.0
 */
export class ExportTruncated extends Schema.TaggedError<ExportTruncated>("@backstitch/trace/ExportTruncated")(
  "ExportTruncated",
  { line: Schema.Natural, what: Schema.Literals(["header", "transitions", "blobs"]), found: Tick, expected: Tick }
) {
  override get message(): string {
    const got =
      this.what === "header" ? "before its header is complete" : `with ${this.found} of ${this.expected} ${this.what}`
    return `The file ends at line ${this.line} ${got}. It was cut short: copy or export it again`
  }
}

/**
 * Error for a line that is not what its place in the file calls for.
 *
 * @category errors
 * @since 0.1.0
 */
export class ExportMalformed extends Schema.TaggedError<ExportMalformed>("@backstitch/trace/ExportMalformed")(
  "ExportMalformed",
  { line: Schema.Natural, problem: Schema.String }
) {
  override get message(): string {
    return `Line ${this.line} of the file cannot be read: ${this.problem}. Copy or export the file again`
  }
}

/**
 * Error for a file that counts more than a reader takes.
 *
 * @category errors
 * @since 0.1.0
 */
export class ExportExceeds extends Schema.TaggedError<ExportExceeds>("@backstitch/trace/ExportExceeds")(
  "ExportExceeds",
  { limit: Schema.Literals(["lineage", "transitions"]), max: Schema.Natural, line: Schema.Natural }
) {
  override get message(): string {
    const what = this.limit === "lineage" ? "ancestors" : "transitions"
    return `Line ${this.line} of the file comes to more than ${this.max} ${what}. Read it with a limit that takes more`
  }
}

/**
 * Error for a blob whose text is not what its digest promises.
 *
 * @category errors
 * @since 0.1.0
 */
export class BlobCorrupt extends Schema.TaggedError<BlobCorrupt>("@backstitch/trace/BlobCorrupt")("BlobCorrupt", {
  digest: Digest.Digest
}) {
  override get message(): string {
    return `Blob ${this.digest} holds text of another digest. The transitions are consistent; get the blob from a copy`
  }
}

/**
 * Writes the header. `blobs` counts the lines after the transitions.
 *
 * @category conversions
 * @since 0.1.0
 */
export const header = (options: {
  readonly run: Run
  readonly head: HashChain.Head
  readonly lineage?: ReadonlyArray<Ancestor> | undefined
  readonly blobs?: number | undefined
  readonly ontology?: number | undefined
}): string => {
  const { blobs = 0, head, lineage = [], ontology = Ontology.version, run } = options
  return JSON.stringify({
    format,
    version,
    run: { tenant: run.tenant, id: run.id },
    ontology,
    ...(lineage.length > 0 && { lineage: lineage.map(({ id, tick }) => ({ id, tick })) }),
    head: { tick: head.tick, link: head.link, story: head.story },
    ...(blobs > 0 && { blobs })
  })
}

/**
 * Writes the line of a transition.
 *
 * @category conversions
 * @since 0.1.0
 */
export const transition = ({ body, envelope, link, stamp, story, tick }: Sealed): string =>
  JSON.stringify({ tick, link, story, body, stamp, envelope })

/**
 * Writes the line of a blob.
 *
 * @category conversions
 * @since 0.1.0
 */
export const blob = (digest: Digest.Digest, text: string): string => JSON.stringify({ blob: digest, text })

/**
 * Writes an export line by line, without line ends.
 *
 * @category conversions
 * @since 0.1.0
 */
export function* lines(self: Export): Generator<string, undefined> {
  yield header({ ...self, blobs: self.blobs.size })
  for (const sealed of self.transitions) yield transition(sealed)
  for (const [digest, text] of self.blobs) yield blob(digest, text)
  return undefined
}

/**
 * Writes an export as one text.
 *
 * **When to use** for runs that fit into memory; {@link header}, {@link transition}
 * and {@link blob} write longer ones as they are read from a store.
 *
 * @category conversions
 * @since 0.1.0
 */
export const encode = (self: Export): string => {
  let text = ""
  for (const line of lines(self)) text += `${line}\n`
  return text
}

/**
 * Ancestors that a header may name, and transitions that it may count, unless a reader is given other limits.
 *
 * @category constants
 * @since 0.1.0
 */
export const limits = { lineage: 1_000, transitions: 200_000 } as const

/**
 * What a reader takes of a file that others wrote.
 *
 * @category models
 * @since 0.1.0
 */
export type Limits = Readonly<Record<keyof typeof limits, number>>

/**
 * Reads an export from its lines or its text. Nothing is verified but the form.
 *
 * **Example** (Writing and reading a run)
 *
 * ```ts import.meta.vitest
 * import { Export, HashChain, Run } from "@backstitch/trace"
 * import { Result } from "effect"
 *
 * const run = Run.make("trip-42")
 * const sealed = HashChain.seal(HashChain.genesis(run), {
 *   body: { author: "agent", type: "observation.add" },
 *   stamp: { asOf: 0 },
 *   envelope: { ts: 0 }
 * })
 * const head = HashChain.headOf(sealed)
 * const text = Export.encode({ run, ontology: 1, lineage: [], head, transitions: [sealed], blobs: new Map() })
 *
 * Result.getOrThrow(Export.decode(text)).transitions[0]?.body // => '{"author":"agent","type":"observation.add"}'
 * ```
 *
 * @category conversions
 * @since 0.1.0
 */
export const decode = (source: string | Iterable<string>): Result.Result<Export, ExportTruncated | Unread> => {
  const decoder = new Decoder()
  for (const line of typeof source === "string" ? splitLines(source) : source) {
    const problem = decoder.push(line)
    if (problem !== undefined) return Result.fail(problem)
  }
  return decoder.finish()
}

/**
 * Reads an export line by line, as it arrives. Nothing is verified but the form.
 *
 * @category constructors
 * @since 0.1.0
 */
export class Decoder {
  readonly #reader: Reader
  #failed: { readonly problem: Unread; readonly isCut: boolean } | undefined

  constructor(given: Limits = limits) {
    this.#reader = new Reader(given)
  }

  /** Takes the next line, without its end. A problem that is answered is final; the last line may be cut short. */
  push(line: string): Unread | undefined {
    if (this.#failed !== undefined && line !== "") return this.#failed.problem
    const problem = this.#reader.push(line)
    if (problem === undefined) return undefined
    // Only the last line can have been cut short.
    this.#failed = { problem, isCut: problem._tag !== "ExportExceeds" && isCut(line) }
    return undefined
  }

  /** The export, or what is wrong with it. */
  finish(): Result.Result<Export, ExportTruncated | Unread> {
    if (this.#failed === undefined) return this.#reader.finish()
    const { isCut, problem } = this.#failed
    return Result.fail(isCut && this.#reader.isShort ? this.#reader.truncated() : problem)
  }
}

/**
 * Checks the bytes, both chains, the head that the header names and the blobs; answers the head or the first bad tick.
 *
 * **Gotchas**
 *
 * A file can be consistent and still not be the run that was recorded: compare
 * the head that comes back with one that is kept elsewhere.
 *
 * @category combinators
 * @since 0.1.0
 */
export const verify = (self: Export): Result.Result<HashChain.Head, HashChain.ChainBroken | BlobCorrupt> => {
  const begun = forks(self)
  let head = genesis(self)
  for (const sealed of self.transitions) {
    const next = HashChain.follow(head, sealed)
    if (Result.isFailure(next)) return Result.fail(next.failure)
    if (![sealed.body, sealed.stamp, sealed.envelope].every(Canonical.isCanonical)) {
      return Result.fail(new HashChain.ChainBroken({ tick: sealed.tick, found: "bytes" }))
    }
    const fork = begun.get(sealed.tick)
    if (fork !== undefined && !beginsFork(sealed.body, fork)) {
      return Result.fail(new HashChain.ChainBroken({ tick: sealed.tick, found: "fork" }))
    }
    head = next.success
  }
  if (head.tick < self.head.tick) {
    return Result.fail(new HashChain.ChainBroken({ tick: head.tick + 1, found: "tick" }))
  }
  if (head.tick > self.head.tick) {
    return Result.fail(new HashChain.ChainBroken({ tick: self.head.tick + 1, found: "end" }))
  }
  if (head.link !== self.head.link || head.story !== self.head.story) {
    return Result.fail(new HashChain.ChainBroken({ tick: head.tick, found: "end" }))
  }
  // Without its first own transition nothing binds the name of a fork.
  if ([...begun.keys()].some((tick) => tick > head.tick)) {
    return Result.fail(new HashChain.ChainBroken({ tick: head.tick, found: "fork" }))
  }
  for (const [digest, text] of self.blobs) {
    if (Digest.ofBytes(text) !== digest) return Result.fail(new BlobCorrupt({ digest }))
  }
  return Result.succeed(head)
}

/**
 * The head from which the transitions of an export start: the genesis of the run, or of the root of a fork's lineage.
 *
 * @category getters
 * @since 0.1.0
 */
export const genesis = ({ lineage, run }: Pick<Export, "lineage" | "run">): HashChain.Head =>
  HashChain.genesis({ tenant: run.tenant, id: lineage[0]?.id ?? run.id })

/**
 * Tells whether the body of a fork's first own transition names it, its parent and the tick where it left: the links of
 * a fork extend its parent's, so nothing else binds its name.
 *
 * @category guards
 * @since 0.1.0
 */
export const beginsFork = (
  body: string,
  fork: { readonly child: string; readonly parent: string; readonly at: number }
): boolean => {
  const named = Payload.of(JsonText.read(body) as Body, "run.fork")
  return named?.child === fork.child && named.parent === fork.parent && named.at === fork.at
}

/**
 * The forks that begin in the history of a run, by the ticks of their first own transitions.
 *
 * @category getters
 * @since 0.1.0
 */
export const forks = ({ lineage, run }: Pick<Export, "lineage" | "run">) => {
  const found = new Map<Tick, { readonly child: string; readonly parent: string; readonly at: number }>()
  let [child, earliest]: [string, number] = [run.id, Number.POSITIVE_INFINITY]
  for (const { id: parent, tick: at } of lineage.toReversed()) {
    // A run may have left an ancestor before the ancestor itself became a fork.
    if (at < earliest) found.set(at + 1, { child, parent, at })
    ;[child, earliest] = [parent, Math.min(earliest, at)]
  }
  return found
}

const format = "backstitch-trace"

const Header = Schema.Struct({
  run: Run,
  ontology: Schema.Natural.check(Schema.isGreaterThan(0)),
  lineage: Schema.optionalKey(Schema.Array(Ancestor)),
  head: Schema.Struct({ tick: Tick, link: Digest.Digest, story: Digest.Digest }),
  blobs: Schema.optionalKey(Schema.Natural)
})

const TransitionLine = Schema.Struct({
  tick: Tick,
  link: Digest.Digest,
  story: Digest.Digest,
  body: Schema.String,
  stamp: Schema.String,
  envelope: Schema.String
})

const BlobLine = Schema.Struct({ blob: Digest.Digest, text: Schema.String })

const decodeHeader = Schema.decodeUnknownResult(Header)
const decodeTransition = Schema.decodeUnknownResult(TransitionLine)
const decodeBlob = Schema.decodeUnknownResult(BlobLine)

/** Why a line was not taken. */
type Unread = ExportUnsupported | ExportMalformed | ExportExceeds

class Reader {
  readonly limits: Limits
  line = 0
  blank = 0
  header: typeof Header.Type | undefined
  readonly transitions: Array<Sealed> = []
  readonly blobs = new Map<Digest.Digest, string>()

  constructor(given: Limits) {
    this.limits = given
  }

  get isShort(): boolean {
    return this.header === undefined || this.isShortOfTransitions || this.blobs.size < (this.header.blobs ?? 0)
  }

  // With the last tick in place, what is missing was taken from the middle: that is for `verify` to name.
  get isShortOfTransitions(): boolean {
    const last = this.transitions.at(-1)?.tick ?? 0
    return this.header !== undefined && Math.max(last, this.transitions.length) < this.header.head.tick
  }

  push(text: string): Unread | undefined {
    if (text === "") {
      this.blank++
      return undefined
    }
    this.line += 1 + this.blank
    this.blank = 0
    const value = parse(text)
    if (this.header === undefined) return this.pushHeader(value)
    if (value === undefined) return this.malformed("it is not JSON")
    if (Object.hasOwn(value, "blob")) {
      const read = decodeBlob(value)
      if (Result.isFailure(read)) return this.malformed(read.failure.message)
      const { blob, text } = read.success
      const counted = this.header.blobs ?? 0
      if (this.blobs.size >= counted && !this.blobs.has(blob))
        return this.malformed(`the header counts ${counted} blobs`)
      this.blobs.set(blob, text)
      return undefined
    }
    if (this.blobs.size > 0) return this.malformed("a transition follows the blobs")
    const read = decodeTransition(value)
    if (Result.isFailure(read)) return this.malformed(read.failure.message)
    if (this.transitions.length >= this.limits.transitions) return this.exceeds("transitions")
    this.transitions.push(read.success)
    return undefined
  }

  pushHeader(value: object | undefined): Unread | undefined {
    const found = value as { readonly format?: unknown; readonly version?: unknown } | undefined
    if (found?.format !== format) return new ExportUnsupported({ found: "not an export of a trace" })
    if (found.version !== version)
      return new ExportUnsupported({ found: `${format} ${shorten(String(found.version))}` })
    const { head, lineage } = found as { readonly head?: { readonly tick?: unknown }; readonly lineage?: unknown }
    if (Array.isArray(lineage) && lineage.length > this.limits.lineage) return this.exceeds("lineage")
    if (Number(head?.tick) > this.limits.transitions) return this.exceeds("transitions")
    const read = decodeHeader(value)
    if (Result.isFailure(read)) return this.malformed(read.failure.message)
    if (read.success.ontology > Ontology.version) {
      return new ExportUnsupported({ found: `a trace of ontology ${read.success.ontology}` })
    }
    this.header = read.success
    return undefined
  }

  finish(): Result.Result<Export, ExportTruncated> {
    if (this.header === undefined || this.isShort) return Result.fail(this.truncated())
    const { head, lineage = [], ontology, run } = this.header
    return Result.succeed({ run, ontology, lineage, head, transitions: this.transitions, blobs: this.blobs })
  }

  truncated(): ExportTruncated {
    const at = { line: this.line, found: 0, expected: 0 }
    if (this.header === undefined) return new ExportTruncated({ ...at, what: "header" })
    if (this.isShortOfTransitions) {
      const { tick } = this.header.head
      return new ExportTruncated({ ...at, what: "transitions", found: this.transitions.length, expected: tick })
    }
    return new ExportTruncated({ ...at, what: "blobs", found: this.blobs.size, expected: this.header.blobs ?? 0 })
  }

  exceeds(limit: keyof Limits): ExportExceeds {
    return new ExportExceeds({ limit, max: this.limits[limit], line: this.line })
  }

  malformed(problem: string): ExportMalformed {
    return new ExportMalformed({ line: this.line, problem: shorten(problem).replaceAll("\n", " ") })
  }
}
