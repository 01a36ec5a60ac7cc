/** The verifier of state proofs in Python against the library, over proofs that were changed in every way we know. */
import { spawnSync } from "node:child_process"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import * as Digest from "@backstitch/trace/Digest"
import * as Cosignature from "@backstitch/transparency/Cosignature"
import * as SignedNote from "@backstitch/transparency/SignedNote"
import * as TreeCheckpoint from "@backstitch/transparency/TreeCheckpoint"
import * as TreeHead from "@backstitch/transparency/TreeHead"
import * as FieldPath from "@backstitch/version-control/FieldPath"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as StateProof from "../../packages/runtime/src/proof/StateProof.ts"
import { exported, places, state } from "../../packages/runtime/test/proving.ts"

const script = fileURLToPath(new URL("../verify_state.py", import.meta.url))
const hasPython = spawnSync("python3", ["--version"]).status === 0

type Case = readonly [proof: object, options?: ReadonlyArray<string>]

interface Said {
  readonly status: number
  readonly said: string
}

/** Runs the script on each case, all in one process: most of the time of one run is its start. */
const driver = `
import contextlib, io, json, sys
sys.path.insert(0, sys.argv[1])
import verify_state
for line in sys.stdin.buffer.read().splitlines():
    proof, *options = json.loads(line)
    sys.argv, out = ["verify_state.py", "-", *options], io.StringIO()
    sys.stdin = io.TextIOWrapper(io.BytesIO(proof.encode("utf-8")))
    with contextlib.redirect_stdout(out):
        status = verify_state.main()
    print(json.dumps({"status": status, "said": out.getvalue().strip()}))
`

const written = (proof: object): string => StateProof.encode(proof as StateProof.StateProof)

const checkAll = (cases: ReadonlyArray<Case>): ReadonlyArray<Said> => {
  const input = cases.map(([proof, options = []]) => JSON.stringify([written(proof), ...options])).join("\n")
  const { stderr, stdout } = spawnSync("python3", ["-c", driver, dirname(script)], { input, encoding: "utf8" })
  assert.strictEqual(stderr, "")
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Said)
}

const check = (...each: Case): Said => checkAll([each])[0]!

const holds = (proof: object): boolean => Result.isSuccess(StateProof.check(written(proof)))

const made = (field: string, fork = false): StateProof.StateProof =>
  Result.getOrThrow(
    StateProof.make({
      exported: exported(9, { fork }),
      at: 6,
      state,
      path: Result.getOrThrow(FieldPath.parse(field)),
      to: 9
    })
  )

const signer = (name: string, fill: number) => [name, SignedNote.toKey(new Uint8Array(32).fill(fill))] as const
const log = Result.getOrThrow(SignedNote.signer(...signer("example.org/log", 1)))
const other = Result.getOrThrow(SignedNote.signer(...signer("example.org/other", 1)))
const witnesses = [2, 3, 4].map((fill) => Result.getOrThrow(Cosignature.signer(...signer(`w${fill}`, fill))))
const keys = witnesses.map(({ verifier }) => verifier)

/** A proof under a checkpoint of a log of some entries, signed by a key and two witnesses. */
const logged = (size: number, index: number, by = log) => {
  const proof = made("/world/seats/7A")
  const entry = (at: number) => ({
    head: at === index ? proof.head.link : Digest.zero,
    run: at === index ? "trip-42" : `run-${at}`,
    tenant: proof.run.tenant,
    tick: at === index ? 9 : 1
  })
  const leaves = Array.from({ length: size }, (_, at) => TreeHead.leaf(TreeHead.entry(entry(at))))
  const bare = { origin: log.name, head: { size, root: TreeHead.root(leaves) }, extensions: [], signatures: [] }
  const body = Result.getOrThrow(TreeCheckpoint.format(bare))
  const signatures = [
    SignedNote.sign(by, body),
    ...witnesses.slice(0, 2).map((witness) => Cosignature.sign(witness, body, 1_700_000_000))
  ]
  const checkpoint = Result.getOrThrow(TreeCheckpoint.format({ ...bare, signatures }))
  return { ...proof, log: { checkpoint, index, proof: TreeHead.inclusionProof(leaves, index) } }
}

describe.skipIf(!hasPython)("tooling/verify_state.py", () => {
  it("states the proven value of a field, and detects every other value and text as wrong", () => {
    const proofs = places.map((field) => made(field))
    for (const [index, { said, status }] of checkAll(proofs.map((proof) => [proof])).entries()) {
      const { field, head, value } = proofs[index]!
      assert.strictEqual(status, 0, said)
      assert.include(said, `proven, unanchored: run trip-42, tick 6, ${field} = ${value === undefined ? "absent" : ""}`)
      assert.include(said, `head 9:${head.link}`)
    }
    const wrong = proofs.flatMap((proof): ReadonlyArray<Case> => {
      const { value, ...rest } = proof
      const other = [{ ...rest, value: { any: "thing" } }, value === undefined ? { ...rest, value: null } : rest]
      const texts = Object.keys(proof.texts).map((digest) => ({ ...proof, texts: { ...proof.texts, [digest]: "[]" } }))
      return [...other, ...texts].map((each) => [each])
    })
    for (const [index, { said, status }] of checkAll(wrong).entries()) {
      assert.strictEqual(status, 1, `${said} ${JSON.stringify(wrong[index])}`)
    }
  })

  it("answers as a program does: a sentence, and a code", () => {
    const input = written(made("/world/spent"))
    const { status, stdout } = spawnSync("python3", [script, "-"], { input, encoding: "utf8" })
    assert.deepStrictEqual([status, stdout.startsWith("proven, unanchored")], [0, true])
    assert.strictEqual(spawnSync("python3", [script, "-"], { input: "{}" }).status, 1)
    assert.strictEqual(spawnSync("python3", [script], { input }).status, 2)
  })

  it("agrees with the library on proofs with any other change", () => {
    const proof = made("/working/more/16/index", true)
    const { chain, fields, head, sections } = proof
    const other = Digest.ofBytes("other")
    const changed: ReadonlyArray<object> = [
      proof,
      ...[0, 3, 5, 8].flatMap((tick) =>
        [0, 1, 2].map((part) => ({ ...proof, chain: chain.with(tick, chain[tick]!.with(part, other) as never) }))
      ),
      { ...proof, sections: { ...sections, kernel: other } },
      { ...proof, fields: { ...fields, many: `list:${other}` } },
      { ...proof, fields: { ...fields, many: `${fields["many"]}\n"x" value:${other}` } },
      { ...proof, head: { ...head, story: other } },
      { ...proof, head: { ...head, tick: 8 } },
      { ...proof, at: 8 },
      { ...proof, at: 5 },
      { ...proof, at: 0 },
      { ...proof, run: { ...proof.run, id: "trip-43" } },
      { ...proof, lineage: [] },
      { ...proof, lineage: [{ id: "trip-1", tick: 2 }] },
      { ...proof, field: "/working/more/16" },
      { ...proof, field: "/working" },
      { ...proof, version: 2 },
      { ...proof, version: true },
      { ...made("/world/spent"), at: true },
      {}
    ]
    for (const [index, { said, status }] of checkAll(changed.map((each) => [each])).entries()) {
      assert.strictEqual(status === 0, holds(changed[index]!), said)
    }
    assert.strictEqual(check(proof).status, 0)
  })

  it("holds the head to one that was kept elsewhere", () => {
    const proof = made("/world/spent")
    const { link } = proof.head
    assert.include(check(proof, ["--head", link]).said, "proven, anchored:")
    assert.strictEqual(check(proof, ["--head", `9:${link}`]).status, 0)
    for (const head of [`8:${link}`, Digest.zero]) assert.strictEqual(check(proof, ["--head", head]).status, 1)
  })

  it("holds the digests and the numbers of a log to the one form that they have, as the library does", () => {
    const proof = logged(5, 1)
    const { checkpoint, index, proof: digests } = proof.log
    const others = [
      { index: true },
      { index: 1.5 },
      { proof: digests.map((each) => each.toUpperCase()) },
      { proof: digests.map((each) => `${each.slice(0, 2)} ${each.slice(2)}`) },
      ...["+5", " 5", "5_", "05", "٥"].map((size) => ({ checkpoint: checkpoint.replace("\n5\n", `\n${size}\n`) }))
    ].map((log) => ({ ...proof, log: { checkpoint, index, proof: digests, ...log } }))
    for (const [at, { said, status }] of checkAll(others.map((each) => [each])).entries()) {
      assert.deepStrictEqual([at, status, holds(others[at]!)], [at, 1, false], said)
    }
    const options = ["-", "--witness", keys[0]!, "--quorum", "0"]
    assert.strictEqual(spawnSync("python3", [script, ...options], { input: written(proof) }).status, 2)
  })

  it("holds the head to the log of a checkpoint, and that to the keys of the log and its witnesses", () => {
    const sizes = [
      [1, 0],
      [2, 1],
      [5, 4],
      [7, 3],
      [8, 0]
    ] as const
    const signed = sizes.map(([size, index]): Case => [logged(size, index), ["--by", log.verifier]])
    for (const { said, status } of checkAll(signed)) assert.strictEqual(status, 0, said)
    const proof = logged(5, 2)
    const given = keys.flatMap((key) => ["--witness", key])
    const trusted = check(proof, ["--by", log.verifier, ...given, "--quorum", "2"])
    assert.include(trusted.said, "proven, signed, cosigned by 2:")
    const { checkpoint } = proof.log
    const forged = `${checkpoint.slice(0, -8)}${checkpoint.slice(-8).startsWith("A") ? "B" : "A"}${checkpoint.slice(-7)}`
    const second = checkpoint.split("\n").at(-2)!
    const wrong: ReadonlyArray<readonly [object, ReadonlyArray<string>]> = [
      [proof, given],
      [proof, [...given, "--quorum", "3"]],
      [proof, ["--witness", keys[0]!, "--witness", keys[0]!, "--quorum", "2"]],
      [proof, ["--by", Result.getOrThrow(SignedNote.signer(...signer("example.org/log", 9))).verifier]],
      [proof, ["--by", keys[0]!]],
      [logged(5, 3, other), ["--by", other.verifier]],
      [proof, ["--witness", log.verifier]],
      [proof, ["--by", "me"]],
      [made("/world/spent"), ["--by", log.verifier]],
      [{ ...proof, log: { ...proof.log, index: 1 } }, []],
      [{ ...proof, log: { ...proof.log, proof: [] } }, []],
      [{ ...proof, log: { ...proof.log, checkpoint: checkpoint.replace("\n5\n", "\n6\n") } }, ["--by", log.verifier]],
      [{ ...proof, log: { ...proof.log, checkpoint: forged } }, ["--witness", keys[1]!]],
      [{ ...proof, log: { ...proof.log, checkpoint: `${forged}${second}\n` } }, ["--witness", keys[1]!]]
    ]
    for (const [index, { said, status }] of checkAll(wrong).entries()) {
      assert.strictEqual(status, 1, `${wrong[index]![1].join(" ")}: ${said}`)
    }
  })
})
