import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Cosignature from "../src/Cosignature.ts"
import * as SignedNote from "../src/SignedNote.ts"
import type * as TreeCheckpoint from "../src/TreeCheckpoint.ts"
import * as WitnessPolicy from "../src/WitnessPolicy.ts"
import { body, checkpoint, log, navigli, witnesses } from "./cosigned.ts"

const read = (text: string): WitnessPolicy.WitnessPolicy => Result.getOrThrow(WitnessPolicy.parse(text))
const check = (text: string, under: TreeCheckpoint.TreeCheckpoint = checkpoint) =>
  WitnessPolicy.check(read(text), under)
const refusal = (text: string, under?: TreeCheckpoint.TreeCheckpoint) =>
  Result.getOrThrow(Result.flip(check(text, under)))

const parties = `log ${log}
witness r ${witnesses.remora} https://remora.example/
witness s ${witnesses.smartit}
witness n ${navigli}
`

/** Pairs of a key for a log and one for a witness, by a letter. */
const pems = ["a", "b", "c", "d", "e"].map((name, index) => ({
  name,
  pem: SignedNote.toKey(new Uint8Array(32).fill(index))
}))
const cosigners = pems.map(({ name, pem }) => Result.getOrThrow(Cosignature.signer(name, pem)))
const lines = cosigners.map(({ name, verifier }) => `witness ${name} ${verifier}`).join("\n")
const cosigned = (names: string): TreeCheckpoint.TreeCheckpoint => ({
  ...checkpoint,
  signatures: cosigners.filter(({ name }) => names.includes(name)).map((signer) => Cosignature.sign(signer, body, 5))
})

describe("WitnessPolicy", () => {
  it("accepts a public checkpoint that the log signed and enough of its witnesses cosigned", () => {
    const seconds = 1_779_573_024
    for (const quorum of ["quorum r", "quorum none", "group g 2 r s n\nquorum g", "group g any n s\nquorum g"]) {
      assert.deepStrictEqual(
        check(`${parties}${quorum}\n`),
        Result.succeed([
          { witness: "r", seconds },
          { witness: "s", seconds }
        ]),
        quorum
      )
    }
    const { logs, witnesses: known } = read(`${parties}quorum none`)
    assert.deepStrictEqual([logs.length, known.length, known[0]?.url], [1, 3, "https://remora.example/"])
  })

  it("refuses a checkpoint with too few cosignatures, and names the missing witnesses", () => {
    for (const quorum of ["quorum n", "group g 3 r s n\nquorum g", "group g all n s\nquorum g"]) {
      const error = refusal(`${parties}${quorum}\n`)
      assert.deepInclude(error, { _tag: "TreeCheckpointRefused", isSigned: true, missing: ["n"] }, quorum)
      assert.include(error.message, "n did not cosign it")
    }
  })

  it("refuses a checkpoint that no log of the policy signed, however many witnesses cosigned it", () => {
    const other = Result.getOrThrow(SignedNote.signer("example.org/log", SignedNote.toKey(new Uint8Array(32))))
    const text = `log ${other.verifier}\nwitness r ${witnesses.remora}\nquorum r\n`
    assert.include(refusal(text).message, "is not signed by a log that the policy knows")
    // A log signs under its own name alone: what it signs as another is not its log.
    const renamed = { ...checkpoint, signatures: [SignedNote.sign(other, body)] }
    assert.deepInclude(refusal(`log ${other.verifier}\nquorum none\n`, renamed), { isSigned: false })
  })

  it("refuses the whole note where a signature of a known key is wrong, though the quorum is reached", () => {
    const first = checkpoint.signatures.findIndex(({ name }) => name === "remora.n621.de")
    const forge = (at: number) => {
      const { name, value } = checkpoint.signatures[at]!
      const bytes = Buffer.from(value, "base64")
      bytes[20] = bytes[20]! ^ 1
      return { ...checkpoint, signatures: [...checkpoint.signatures, { name, value: bytes.toString("base64") }] }
    }
    assert.deepInclude(refusal(`${parties}quorum s`, forge(first)), { forged: "r" })
    assert.deepInclude(refusal(`${parties}quorum s`, forge(1)), { forged: checkpoint.origin })
    assert.isTrue(Result.isSuccess(check(`log ${log}\nwitness s ${witnesses.smartit}\nquorum s`, forge(first))))
  })

  it("counts groups of groups as the reference does", () => {
    const text = `${lines}\ngroup x 2 a b c\ngroup y any d e\ngroup both all x y\nquorum both\n`
    for (let mask = 0; mask < 32; mask++) {
      const names = ["a", "b", "c", "d", "e"].filter((_, index) => (mask & (1 << index)) !== 0)
      const has = (name: string) => names.includes(name)
      const expected = ["a", "b", "c"].filter(has).length >= 2 && (has("d") || has("e"))
      assert.strictEqual(Result.isSuccess(check(text, cosigned(names.join("")))), expected, names.join())
    }
  })

  it("is made of some witnesses and a number", () => {
    const verifiers = cosigners.map(({ verifier }) => verifier)
    const policy = Result.getOrThrow(WitnessPolicy.ofWitnesses(verifiers, 3))
    const counts = ["", "a", "ab", "abc", "abcde"].map((names) =>
      Result.isSuccess(WitnessPolicy.check(policy, cosigned(names)))
    )
    assert.deepStrictEqual(counts, [false, false, false, true, true])
    const unfit = (keys: ReadonlyArray<string>, least: number) =>
      Result.getOrThrow(Result.flip(WitnessPolicy.ofWitnesses(keys, least))).message
    assert.strictEqual(unfit([verifiers[0]!, "foo"], 1), 'Witness 2 "foo" is not accepted: it is no Ed25519 key')
    assert.strictEqual(unfit(verifiers, 6), 'The quorum "6" is not accepted: a number from 1 to 5 was expected')
    assert.include(unfit([verifiers[0]!, verifiers[0]!], 1), "each key is named once")
    for (const least of [0, 6, -1, 1.5]) assert.isTrue(Result.isFailure(WitnessPolicy.ofWitnesses(verifiers, least)))
    assert.isTrue(Result.isFailure(WitnessPolicy.ofWitnesses([...verifiers, verifiers[0]!], 2)))
  })

  it("reads white space, comments and names of any letters as the specification says", () => {
    const text = `\n# a comment\n \t# another\n\twitness \u00fc ${witnesses.remora}  https://x.example/ \n\nquorum   \u00fc \t`
    assert.deepStrictEqual(read(text).witnesses, [
      { name: "\u00fc", verifier: witnesses.remora, url: "https://x.example/" }
    ])
  })

  it.each([
    ["no quorum", parties, 5],
    ["two quorums", `${parties}quorum r\nquorum s`, 6],
    ["a quorum without a name", `${parties}quorum`, 5],
    ["a quorum that is defined below", `quorum r\n${parties}`, 1],
    ["an unknown word", `${parties}threshold 2`, 5],
    ["a word of every object", `${parties}constructor r`, 5],
    ["a comment at the end of a line", `${parties}quorum r # only`, 5],
    ["a witness without a name", "witness", 1],
    ["a witness with the key of a log", `witness l ${log}`, 1],
    ["a log with the key of a witness", `log ${witnesses.remora}`, 1],
    ["a witness named none", `witness none ${witnesses.remora}`, 1],
    ["two witnesses of one name", `${parties}witness r ${witnesses.stagemole}`, 5],
    ["one key twice", `${parties}witness q ${witnesses.remora}`, 5],
    [
      "one key under two names",
      `${lines}\nwitness q ${Result.getOrThrow(Cosignature.signer("q", pems[0]!.pem)).verifier}`,
      6
    ],
    ["a group with the name of a witness", `${parties}group r any s`, 5],
    ["a group without members", `${parties}group g any`, 5],
    ["a group of too few", `${parties}group g 3 r s`, 5],
    ["a group of none", `${parties}group g 0 r s`, 5],
    ["a group of the nobody", `${parties}group g any none`, 5],
    ["a group of somebody unknown", `${parties}group g any r q`, 5],
    ["a group of itself", `${parties}group g any g`, 5],
    ["a member twice", `${parties}group g 2 r r`, 5],
    ["a member of two groups", `${parties}group g any r\ngroup h any r s`, 6],
    ["a carriage return", `${parties.replaceAll("\n", "\r\n")}quorum r`, 1],
    ["a number that is none", `${parties}group g 1e0 r s`, 5]
  ])("refuses %s, naming the line", (_, text, line) => {
    const error = Result.getOrThrow(Result.flip(WitnessPolicy.parse(text)))
    assert.strictEqual(error.line, line, error.message)
  })

  it.each([
    ["a text that is no key", "witness r remora", "it is no Ed25519 key"],
    [
      "a key under another name",
      `witness r ${witnesses.remora.replace(/^[^+]*/, "other")}`,
      "its id is that of another key"
    ],
    ["the key of a log", `witness l ${log}`, "it is the key of a log"],
    ["the key of a witness", `log ${witnesses.remora}`, "it is the key of a witness"],
    ["a key for the second time", `${parties}witness q ${witnesses.remora}`, "each key is named once"],
    ["too many items", `log ${log} https://example.org/ more`, "log VERIFIER [URL]"]
  ])("says what is wrong with %s", (_, text, reason) => {
    assert.include(Result.getOrThrow(Result.flip(WitnessPolicy.parse(text))).message, reason)
  })
})
