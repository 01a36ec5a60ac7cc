/**
 * A run in one file, as JSON lines, for people without a store of Backstitch.
 *
 * The first line is a header. Then there is one line for each transition, and then the packs and nodes that the run
 * refers to. The three parts of a transition are stored as strings, so the file contains exactly the bytes that were
 * hashed. A fork is exported with its shared history, from the genesis of its root.
 *
 * Reading checks only the form. {@link verify} checks the chain (L3), and so does `tooling/verify.py`, which shares
 * no code with this module.
 *
 * @source docs/FORMAT.md
 */

import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Canonical from "../bytes/Canonical.ts"
import * as Digest from "../bytes/Digest.ts"
import { Coherence } from "../chain/Coherence.ts"
import * as HashChain from "../chain/HashChain.ts"
import * as Lineage from "../chain/Lineage.ts"
import { Run } from "../chain/Run.ts"
import { refusing } from "../Limits.ts"
import * as Ontology from "../transition/Ontology.ts"
import { type Body, type Sealed, type Stamp, Tick, type Transition } from "../transition/Transition.ts"
import { pinnedBy, unfitBlob } from "./exportBlobs.ts"
import { headed, shorten, splitLines } from "./exportLine.ts"

/** Version of the format that this module writes, and the only version that it reads. */
export const version = 1

/** A run as it is exported. `lineage` names the ancestors of a fork, the root first. */
export interface Export {
  readonly run: Run
  readonly ontology: number
  readonly lineage: ReadonlyArray<Lineage.Ancestor>
  readonly head: HashChain.Head
  readonly transitions: ReadonlyArray<Sealed>
  readonly blobs: ReadonlyMap<Digest.Digest, string>
}

/** The name of the file, if its reader knows it. */
const file = Schema.optionalKey(Schema.String)

/** The kind of a file that begins with no header. */
const noExport = "not an export of a trace"

/** Error for a file that is no export, or has a version that this module cannot read. */
export class ExportUnsupported extends Schema.TaggedError<ExportUnsupported>("@backstitch/trace/ExportUnsupported")(
  "ExportUnsupported",
  { found: Schema.String, reads: Schema.String, file }
) {
  override get message(): string {
    const named = `${this.file ?? "The file"} is ${this.found}`
    return this.found === noExport
      ? `${named}: its first line is not the header of one. Give a file that a run was exported to`
      : `${named}, and this version reads ${this.reads}. Export the run again, or read the file with the version that wrote it`
  }
}

/** Error for a file that ends before the end that its header announces. */
export class ExportTruncated extends Schema.TaggedError<ExportTruncated>("@backstitch/trace/ExportTruncated")(
  "ExportTruncated",
  {
    line: Schema.Natural,
    what: Schema.Literals(["header", "transitions", "blobs"]),
    found: Tick,
    expected: Tick,
    file
  }
) {
  override get message(): string {
    const got =
      this.what === "header" ? "before its header is complete" : `with ${this.found} of ${this.expected} ${this.what}`
    return `${this.file ?? "The file"} ends at line ${this.line} ${got}. It was cut short: copy or export it again`
  }
}

/** Error for a line that has the wrong form for its place in the file. */
export class ExportMalformed extends Schema.TaggedError<ExportMalformed>("@backstitch/trace/ExportMalformed")(
  "ExportMalformed",
  { line: Schema.Natural, problem: Schema.String, file }
) {
  override get message(): string {
    return `Line ${this.line} of ${this.file ?? "the file"} cannot be read: ${this.problem}. ${mend}`
  }
}

/** Error for a file with more lines of a kind than its reader accepts. */
export class ExportExceeds extends Schema.TaggedError<ExportExceeds>("@backstitch/trace/ExportExceeds")(
  "ExportExceeds",
  { limit: Schema.Literals(["lineage", "transitions"]), max: Schema.Natural, line: Schema.Natural }
) {
  override get message(): string {
    const what = this.limit === "lineage" ? "ancestors" : "transitions"
    return `Line ${this.line} of the file comes to more than ${this.max} ${what}. Read it with a limit that takes more`
  }
}

const mend = "Copy or export the file again; who writes such files finds their form in docs/FORMAT.md"

/** Error for a blob that does not match its digest, or does not belong to the run. */
export class BlobCorrupt extends Schema.TaggedError<BlobCorrupt>("@backstitch/trace/BlobCorrupt")("BlobCorrupt", {
  digest: Digest.Digest,
  found: Schema.Literals(["digest", "domain", "unbound"])
}) {
  override get message(): string {
    const what = {
      digest: "holds text of another digest",
      domain: "does not begin with the domain of a pack, a state or a node",
      unbound: "is named by no transition, and by no blob that one names"
    }[this.found]
    return `Blob ${this.digest} ${what}. The transitions are consistent; get the blobs from a copy`
  }
}

/** Writes the header. `blobs` counts the lines after the transitions. */
export const header = (options: {
  readonly run: Run
  readonly head: HashChain.Head
  readonly lineage?: ReadonlyArray<Lineage.Ancestor> | undefined
  readonly blobs?: number | undefined
  readonly ontology?: number | undefined
}): string => {
  const { blobs = 0, head, lineage = [], ontology = Ontology.first, run } = options
  return Canonical.encode({
    ...(blobs > 0 && { blobs }),
    format,
    head: { link: head.link, story: head.story, tick: head.tick },
    ...(lineage.length > 0 && { lineage: lineage.map(({ id, tick }) => ({ id, tick })) }),
    ontology,
    run: { id: run.id, tenant: run.tenant },
    version
  })
}

/** Writes the line of a transition. */
export const transition = ({ body, envelope, link, stamp, story, tick }: Sealed): string =>
  Canonical.encode({ body, envelope, link, stamp, story, tick })

/** Writes the line of a blob. */
export const blob = (digest: Digest.Digest, text: string): string => Canonical.encode({ blob: digest, text })

/** Writes an export line by line, without line ends. */
export function* lines(self: Export): Generator<string, undefined> {
  yield header({ ...self, blobs: self.blobs.size })
  for (const sealed of self.transitions) yield transition(sealed)
  for (const digest of [...self.blobs.keys()].sort()) yield blob(digest, self.blobs.get(digest)!)
  return undefined
}

/**
 * Writes an export as one text.
 *
 * **When to use** for runs that fit into memory; for longer ones, use {@link header}, {@link transition} and {@link
 * blob} while reading from a store.
 */
export const encode = (self: Export): string => {
  let text = ""
  for (const line of lines(self)) text += `${line}\n`
  return text
}

/** The default limits on ancestors in a header, and on transitions. */
export const limits = {
  lineage: refusing.exportAncestorsMax,
  transitions: refusing.exportTransitionsMax
} as const

/** Limits for a file by other authors: a reader refuses a file that exceeds them. */
export type Limits = Readonly<Record<keyof typeof limits, number>>

/**
 * Reads an export from its lines or its text. Only the form is verified.
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
 */
export const decode = (source: string | Iterable<string>): Result.Result<Export, ExportTruncated | Unread> => {
  const decoder = new Decoder()
  for (const { isEnded, text } of splitLines(source)) {
    const problem = decoder.push(text, isEnded)
    if (problem !== undefined) return Result.fail(problem)
  }
  return decoder.finish()
}

/**
 * Reads an export line by line, as it arrives. Only the form is verified. With `behind`, its transitions begin after
 * that tick, because its reader has the others.
 */
export class Decoder {
  readonly #reader: Reader
  #problem: ExportTruncated | Unread | undefined

  constructor(given: Limits = limits, behind = 0) {
    this.#reader = new Reader(given, behind)
  }

  /**
   * Takes the next line, and whether a newline ended it: only a line without one was cut off. The first problem is
   * final.
   */
  push(line: string, isEnded = true): ExportTruncated | Unread | undefined {
    this.#problem ??= isEnded ? this.#reader.push(line) : this.#reader.cut(line)
    return this.#problem
  }

  /** The export, or its problem. */
  finish(): Result.Result<Export, ExportTruncated | Unread> {
    return this.#problem === undefined ? this.#reader.finish() : Result.fail(this.#problem)
  }
}

/**
 * Checks the bytes, both chains, the head that the header names, and the blobs. Answers the head or the first bad
 * tick.
 *
 * **Gotchas**
 *
 * A file can be consistent and still differ from the recorded run: compare the head in the answer with one that is
 * kept elsewhere.
 */
export const verify = (self: Export): Result.Result<HashChain.Head, HashChain.ChainBroken | BlobCorrupt> =>
  new Verifier(self).take(self)

/** Verifies a run as it is told of, and then what comes behind that, each transition once. A refusal is final. */
export class Verifier {
  readonly #told: Pick<Export, "lineage" | "ontology" | "run">
  readonly #coherence: Coherence
  readonly #pinned: Array<string> = []
  #head: HashChain.Head

  constructor(told: Pick<Export, "lineage" | "ontology" | "run">) {
    this.#told = told
    this.#coherence = new Coherence(told)
    this.#head = genesis(told)
  }

  /** The head of what was verified so far. */
  get head(): HashChain.Head {
    return this.#head
  }

  /** Takes the transitions behind the head so far, up to the one that is announced, and the blobs that they name. */
  take({
    blobs,
    head: announced,
    transitions
  }: Pick<Export, "blobs" | "head" | "transitions">): Result.Result<
    HashChain.Head,
    HashChain.ChainBroken | BlobCorrupt
  > {
    const misnamed = Lineage.flaw({ ...this.#told, head: announced })
    if (misnamed !== undefined) return broken(1, "lineage", misnamed)
    for (const sealed of transitions) {
      const next = HashChain.follow(this.#head, sealed)
      if (Result.isFailure(next)) return Result.fail(next.failure)
      const read = partsOf(sealed)
      if (Result.isFailure(read)) return broken(sealed.tick, "bytes", read.failure)
      const flaw = this.#coherence.take(this.#head, sealed, read.success)
      if (flaw !== undefined) return broken(flaw.tick, flaw.found, flaw.problem)
      this.#pinned.push(...pinnedBy(read.success.body))
      this.#head = next.success
    }
    const { link, story, tick } = this.#head
    if (tick < announced.tick) return broken(tick + 1, "tick")
    if (tick > announced.tick) return broken(announced.tick + 1, "end")
    if (link !== announced.link || story !== announced.story) return broken(tick, "end")
    const flaw = this.#coherence.end(this.#head)
    if (flaw !== undefined) return broken(flaw.tick, flaw.found, flaw.problem)
    const unfit = unfitBlob(blobs, this.#pinned)
    return unfit === undefined ? Result.succeed(this.#head) : Result.fail(new BlobCorrupt(unfit))
  }
}

const broken = (tick: number, found: HashChain.ChainBroken["found"], problem?: string) =>
  Result.fail(new HashChain.ChainBroken({ tick, found, ...(problem !== undefined && { problem }) }))

/** The parts of a transition, as objects with unchecked fields; or the reason why they cannot be read. */
const partsOf = (sealed: Sealed): Result.Result<Pick<Transition, "body" | "stamp">, string> => {
  const [body, stamp, envelope] = [objectOf(sealed, "body"), objectOf(sealed, "stamp"), objectOf(sealed, "envelope")]
  if (Result.isFailure(body)) return Result.fail(body.failure)
  if (Result.isFailure(stamp)) return Result.fail(stamp.failure)
  if (Result.isFailure(envelope)) return Result.fail(envelope.failure)
  return Result.succeed({ body: body.success as Body, stamp: stamp.success as Stamp })
}

const objectOf = (sealed: Sealed, part: "body" | "stamp" | "envelope"): Result.Result<Canonical.JsonObject, string> => {
  const read = Canonical.decode(sealed[part])
  if (Result.isFailure(read)) return Result.fail(`its ${part}: ${read.failure}`)
  return Canonical.isObject(read.success) ? Result.succeed(read.success) : Result.fail(`its ${part} is no object`)
}

/** The head at which the transitions of an export start: the genesis of the run, or of the root of a fork's lineage. */
export const genesis = ({ lineage, run }: Pick<Export, "lineage" | "run">): HashChain.Head =>
  HashChain.genesis({ tenant: run.tenant, id: lineage[0]?.id ?? run.id })

const format = "backstitch-trace"

const Header = Schema.Struct({
  format: Schema.Literal(format),
  version: Schema.Literal(version),
  run: Run,
  ontology: Schema.Natural.check(Schema.isGreaterThan(0)),
  lineage: Schema.optionalKey(Schema.NonEmptyArray(Lineage.Ancestor)),
  head: Schema.Struct({ tick: Tick, link: Digest.Digest, story: Digest.Digest }),
  blobs: Schema.optionalKey(Schema.Natural.check(Schema.isGreaterThan(0)))
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

const exactly = { onExcessProperty: "error" } as const
const decodeHeader = Schema.decodeUnknownResult(Header, exactly)
const decodeTransition = Schema.decodeUnknownResult(TransitionLine, exactly)
const decodeBlob = Schema.decodeUnknownResult(BlobLine, exactly)

/** The reason why a line was not accepted. */
type Unread = ExportUnsupported | ExportMalformed | ExportExceeds

const unsupported = (found: string, reads = `${format} ${version}`) => new ExportUnsupported({ found, reads })

class Reader {
  readonly limits: Limits
  readonly behind: number
  line = 0
  header: typeof Header.Type | undefined
  readonly transitions: Array<Sealed> = []
  readonly blobs = new Map<Digest.Digest, string>()
  last = ""

  constructor(given: Limits, behind: number) {
    this.limits = given
    this.behind = behind
  }

  get isShort(): boolean {
    return this.header === undefined || this.isShortOfTransitions || this.blobs.size < (this.header.blobs ?? 0)
  }

  // If the last tick is there, the missing ones are in the middle, and `verify` names them.
  get isShortOfTransitions(): boolean {
    const last = this.transitions.at(-1)?.tick ?? this.behind
    return this.header !== undefined && Math.max(last, this.transitions.length) < this.header.head.tick
  }

  /** Counts a line that ends with the file. If it is no header, the file may be of another format. */
  cut(text: string): ExportTruncated | Unread {
    this.line++
    if (this.header === undefined && !text.startsWith("{")) return unsupported(noExport)
    return this.isShort ? this.truncated() : this.malformed("it has no newline")
  }

  push(text: string): Unread | undefined {
    this.line++
    if (this.header === undefined && headed(text)?.format !== format) return unsupported(noExport)
    const read = Canonical.decode(text)
    if (Result.isFailure(read)) return this.malformed(read.failure)
    const value = read.success
    if (!Canonical.isObject(value)) return this.malformed("it is no object")
    if (this.header === undefined) return this.pushHeader(value)
    return Object.hasOwn(value, "blob") ? this.pushBlob(value, this.header.blobs ?? 0) : this.pushTransition(value)
  }

  pushBlob(value: Canonical.JsonObject, counted: number): Unread | undefined {
    const read = decodeBlob(value)
    if (Result.isFailure(read)) return this.malformed(read.failure.message)
    const { blob, text } = read.success
    if (blob <= this.last)
      return this.malformed("its digest does not follow the one before: each stands once, in order")
    if (this.blobs.size >= counted) return this.malformed(`the header counts ${counted} blobs`)
    this.last = blob
    this.blobs.set(blob, text)
    return undefined
  }

  pushTransition(value: Canonical.JsonObject): Unread | undefined {
    if (this.blobs.size > 0) return this.malformed("a transition follows the blobs")
    const read = decodeTransition(value)
    if (Result.isFailure(read)) return this.malformed(read.failure.message)
    if (this.transitions.length >= this.limits.transitions) return this.exceeds("transitions")
    this.transitions.push(read.success)
    return undefined
  }

  pushHeader(found: Canonical.JsonObject): Unread | undefined {
    if (found["version"] !== version) return unsupported(`${format} ${shorten(JSON.stringify(found["version"]) ?? "")}`)
    const { head, lineage } = found
    if (Array.isArray(lineage) && lineage.length > this.limits.lineage) return this.exceeds("lineage")
    if (Number(Canonical.objectOf(head)["tick"]) > this.limits.transitions) return this.exceeds("transitions")
    const { ontology } = found
    if (typeof ontology === "number" && ontology > Ontology.version) {
      return unsupported(`a trace of ontology ${ontology}`, `ontologies up to ${Ontology.version}`)
    }
    const read = decodeHeader(found)
    if (Result.isFailure(read)) return this.malformed(read.failure.message)
    const misnamed = Lineage.flaw({ lineage: [], ...read.success })
    if (misnamed !== undefined) return this.malformed(misnamed)
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
