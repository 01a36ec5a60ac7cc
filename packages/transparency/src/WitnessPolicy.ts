/**
 * Witness policies: the known logs, and the witnesses that must have cosigned a checkpoint before it counts.
 *
 * A policy is a small text file that other programs read, too. It names logs and witnesses by their verifier texts,
 * and groups of witnesses of which k have to agree. One group, the quorum, decides:
 *
 * ```
 * log example.org/log+6b77ee5c+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop
 * witness first  one.example+…  https://one.example/
 * witness second two.example+…
 * witness third  three.example+…
 * group two-of-three 2 first second third
 * quorum two-of-three
 * ```
 *
 * @source C2SP tlog-policy
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Cosignature from "./Cosignature.ts"
import * as SignedNote from "./SignedNote.ts"
import * as TreeCheckpoint from "./TreeCheckpoint.ts"

/** A log or a witness, with the address at which it can be asked. Witnesses have a name within the policy. */
export interface Party {
  readonly name: string
  readonly verifier: string
  readonly url?: string
}

/** Members of which at least a given number must have cosigned: names of witnesses, or of groups. */
export interface Group {
  readonly name: string
  readonly least: number
  readonly members: ReadonlyArray<string>
}

/** A policy. Without logs, the log is known from elsewhere. The quorum `none` asks for no witness. */
export interface WitnessPolicy {
  readonly logs: ReadonlyArray<Party>
  readonly witnesses: ReadonlyArray<Party>
  readonly groups: ReadonlyArray<Group>
  readonly quorum: string
}

/** A cosignature of a witness under a checkpoint, with its time in seconds since 1970. */
export interface Cosigned {
  readonly witness: string
  readonly seconds: number
}

/** Error for text that is no policy. `reason` says what is wrong with the key of a line. */
export class WitnessPolicyInvalid extends Schema.TaggedError<WitnessPolicyInvalid>(
  "@backstitch/transparency/WitnessPolicyInvalid"
)("WitnessPolicyInvalid", {
  line: Schema.Natural,
  expected: Schema.String,
  found: Schema.String,
  reason: Schema.optionalKey(Schema.String)
}) {
  override get message(): string {
    const why = this.reason === undefined ? "" : `: ${this.reason}`
    return `Line ${this.line} of the policy should be ${this.expected}, and is ${JSON.stringify(this.found)}${why}`
  }
}

/** Error for witnesses of which no policy can be made: the key at a place among them, or else their quorum. */
export class WitnessesUnfit extends Schema.TaggedError<WitnessesUnfit>("@backstitch/transparency/WitnessesUnfit")(
  "WitnessesUnfit",
  { place: Schema.optionalKey(Schema.Natural), found: Schema.String, reason: Schema.String }
) {
  override get message(): string {
    const { found, place, reason } = this
    return `${place === undefined ? "The quorum" : `Witness ${place}`} ${JSON.stringify(found)} is not accepted: ${reason}`
  }
}

/**
 * Error for a checkpoint that a policy does not accept.
 *
 * **Details**
 *
 * `forged` names the log or a witness whose name has a wrong signature. Otherwise the log did not sign, or the quorum
 * is not reached: then `missing` are the witnesses that did not cosign.
 */
export class TreeCheckpointRefused extends Schema.TaggedError<TreeCheckpointRefused>(
  "@backstitch/transparency/TreeCheckpointRefused"
)("TreeCheckpointRefused", {
  origin: Schema.String,
  quorum: Schema.String,
  forged: Schema.optionalKey(Schema.String),
  isSigned: Schema.Boolean,
  missing: Schema.Array(Schema.String)
}) {
  override get message(): string {
    const { forged, isSigned, missing, origin, quorum } = this
    if (forged !== undefined) return `A signature under the checkpoint of ${origin} is not one of ${forged}, as it says`
    if (!isSigned) return `The checkpoint of ${origin} is not signed by a log that the policy knows`
    return `The checkpoint of ${origin} lacks the quorum ${quorum}: ${missing.join(", ")} did not cosign it`
  }
}

/** Makes a policy that asks for a number of the given witnesses. */
export const ofWitnesses = (
  verifiers: ReadonlyArray<string>,
  least: number
): Result.Result<WitnessPolicy, WitnessesUnfit> => {
  const reading = begin()
  for (const [index, text] of verifiers.entries()) {
    const key = keyOf(reading, text, "witness")
    if (typeof key === "string") return Result.fail(new WitnessesUnfit({ place: index + 1, found: text, reason: key }))
    reading.witnesses.push({ name: `w${index + 1}`, verifier: text })
  }
  const { groups, logs, witnesses } = reading
  const most = witnesses.length
  if (!Number.isInteger(least) || least < 1 || least > most) {
    const reason = most === 0 ? "no witness is named" : `a number from 1 to ${most} was expected`
    return Result.fail(new WitnessesUnfit({ found: String(least), reason }))
  }
  groups.push({ name: "witnesses", least, members: witnesses.map(({ name }) => name) })
  return Result.succeed({ logs, witnesses, groups, quorum: "witnesses" })
}

/** Reads a policy. */
export const parse = (text: string): Result.Result<WitnessPolicy, WitnessPolicyInvalid> => {
  const reading = begin()
  const lines = text.split("\n")
  const fail = (index: number, misread: string | Misread) => {
    const why = typeof misread === "string" ? { expected: misread } : misread
    return Result.fail(new WitnessPolicyInvalid({ line: index + 1, ...why, found: lines[index] ?? "" }))
  }
  for (const [index, line] of lines.entries()) {
    if (!line.isWellFormed() || !isPlain(line)) return fail(index, "text without control characters")
    const [word = "", ...rest] = line.split(/[ \t]+/).filter((item) => item !== "")
    if (word === "" || word.startsWith("#")) continue
    const read = Object.hasOwn(readers, word) ? readers[word] : undefined
    const problem = read === undefined ? "a log, witness, group or quorum" : read(reading, rest)
    if (problem !== undefined) return fail(index, problem)
  }
  const { groups, logs, quorum, witnesses } = reading
  if (quorum === undefined) return fail(lines.length - 1, "followed by a quorum: every policy has one")
  return Result.succeed({ logs, witnesses, groups, quorum })
}

/** Checks a checkpoint against a policy; answers the witnesses that cosigned it. */
export const check = (
  self: WitnessPolicy,
  checkpoint: TreeCheckpoint.TreeCheckpoint
): Result.Result<ReadonlyArray<Cosigned>, TreeCheckpointRefused | TreeCheckpoint.TreeCheckpointInvalid> => {
  const { origin, signatures } = checkpoint
  const written = TreeCheckpoint.format({ ...checkpoint, signatures: [] })
  if (Result.isFailure(written)) return Result.fail(written.failure)
  const body = written.success
  const refuse = (found: { readonly forged?: string; readonly isSigned: boolean; readonly missing: Array<string> }) =>
    Result.fail(new TreeCheckpointRefused({ origin, quorum: self.quorum, ...found }))
  const signed = self.logs.map(({ verifier }) =>
    Result.getOrElse(SignedNote.checkLog(verifier, checkpoint), () => "Wrong" as const)
  )
  if (signed.includes("Wrong")) return refuse({ forged: origin, isSigned: false, missing: [] })
  const isSigned = self.logs.length === 0 || signed.includes("Signed")
  const cosigned: Array<Cosigned> = []
  for (const { name, verifier } of self.witnesses) {
    const found = Result.getOrElse(Cosignature.check(verifier, body, signatures), () => ({ _tag: "Wrong" }) as const)
    if (found._tag === "Wrong") return refuse({ forged: name, isSigned, missing: [] })
    if (found._tag === "Cosigned") cosigned.push({ witness: name, seconds: found.seconds })
  }
  const names = new Set(cosigned.map(({ witness }) => witness))
  if (isSigned && reaches(self, names, self.quorum)) return Result.succeed(cosigned)
  const missing = self.witnesses.map(({ name }) => name).filter((name) => !names.has(name))
  return refuse({ isSigned, missing })
}

/** Tells whether a witness has cosigned, or enough members of a group have. */
const reaches = (self: WitnessPolicy, cosigned: ReadonlySet<string>, name: string): boolean => {
  if (name === none) return true
  const group = self.groups.find((each) => each.name === name)
  if (group === undefined) return cosigned.has(name)
  return group.members.filter((member) => reaches(self, cosigned, member)).length >= group.least
}

/** The lines of a policy up to one. Each key and each member may occur only once, so that a witness counts once. */
interface Reading {
  readonly logs: Array<Party>
  readonly witnesses: Array<Party>
  readonly groups: Array<Group>
  quorum: string | undefined
  readonly keys: Set<string>
  readonly used: Set<string>
}

const begin = (): Reading => ({
  logs: [],
  witnesses: [],
  groups: [],
  quorum: undefined,
  keys: new Set(),
  used: new Set()
})

/** The expected form of a line, and what is wrong with its key. */
interface Misread {
  readonly expected: string
  readonly reason: string
}

/** Reads the items after a word; fails with their expected form. */
type LineReader = (reading: Reading, items: ReadonlyArray<string>) => string | Misread | undefined

const readLog: LineReader = (reading, items) => {
  const [text = "", url, ...rest] = items
  const expected = "log VERIFIER [URL]"
  if (text === "" || rest.length > 0) return expected
  const key = keyOf(reading, text, "log")
  if (typeof key === "string") return { expected, reason: key }
  reading.logs.push({ name: key.name, verifier: text, ...(url === undefined ? {} : { url }) })
  return undefined
}

const readWitness: LineReader = (reading, items) => {
  const [name = "", text = "", url, ...rest] = items
  if (!isFree(reading, name)) return "a witness with a name of its own"
  const expected = "witness NAME VERIFIER [URL]"
  if (text === "" || rest.length > 0) return expected
  const key = keyOf(reading, text, "witness")
  if (typeof key === "string") return { expected, reason: key }
  reading.witnesses.push({ name, verifier: text, ...(url === undefined ? {} : { url }) })
  return undefined
}

const readGroup: LineReader = (reading, items) => {
  const [name = "", count = "", ...members] = items
  if (!isFree(reading, name)) return "a group with a name of its own"
  const least =
    count === "all" ? members.length : count === "any" ? 1 : /^[1-9]\d{0,3}$/.test(count) ? Number(count) : 0
  if (least < 1 || least > members.length) return "group NAME K MEMBER..., with K from 1 to as many as there are"
  for (const member of members) {
    if (member === none || !isNamed(reading, member)) return "a group of witnesses and groups of the lines above"
    if (reading.used.has(member)) return "a group whose members are in no other, each once"
    reading.used.add(member)
  }
  reading.groups.push({ name, least, members })
  return undefined
}

const readQuorum: LineReader = (reading, items) => {
  const [name = "", ...rest] = items
  if (reading.quorum !== undefined) return "no second quorum"
  if (rest.length > 0 || !isNamed(reading, name))
    return "quorum NAME, of a witness or group of the lines above, or none"
  reading.quorum = name
  return undefined
}

const readers: Readonly<Record<string, LineReader>> = {
  log: readLog,
  witness: readWitness,
  group: readGroup,
  quorum: readQuorum
}

/** The quorum of nobody, which cannot be a member of a group. */
const none = "none"

/** Allows tabs, printable ASCII and everything beyond ASCII. */
const isPlain = (line: string): boolean => /^[\t\x20-\x7E\u0080-\u{10FFFF}]*$/u.test(line)

const isNamed = ({ groups, witnesses }: Reading, name: string): boolean =>
  name === none || [...witnesses, ...groups].some((each) => each.name === name)

const isFree = (reading: Reading, name: string): boolean => name !== "" && !isNamed(reading, name)

/** The type of key that each party needs, and the words for a key of another one. */
const parties = {
  log: { type: SignedNote.plain, other: "it is the key of a witness, and a log signs with a key of its own" },
  witness: { type: SignedNote.cosigning, other: "it is the key of a log, and a witness has one of type 0x04" }
} as const

/** Reads a key that occurs here for the first time and has the type that its owner needs; fails with the reason. */
const keyOf = (reading: Reading, text: string, of: keyof typeof parties): SignedNote.Verifier | string => {
  const read = SignedNote.verifier(text)
  if (Result.isFailure(read)) return read.failure.reason
  const { type, other } = parties[of]
  if (read.success.type !== type) return other
  const key = `${of} ${read.success.key.join()}`
  if (reading.keys.has(key)) return "each key is named once"
  reading.keys.add(key)
  return read.success
}
