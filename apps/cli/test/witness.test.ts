import { type ChildProcess, spawn } from "node:child_process"
import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import { join } from "node:path"
import { createInterface } from "node:readline"
import * as Cosignature from "@backstitch/transparency/Cosignature"
import * as SignedNote from "@backstitch/transparency/SignedNote"
import * as TreeCheckpoint from "@backstitch/transparency/TreeCheckpoint"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { afterAll, beforeAll } from "vitest"
import { type Ended, fixture, Shell } from "./shell.ts"

const shell = new Shell()
const children: Array<ChildProcess> = []
const servers: Array<Server> = []
afterAll(async () => {
  for (const child of children) child.kill()
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))))
  shell.remove()
})

/** Starts the witness of the examples as a process, and answers its line for a policy. */
const witness = async (name: string, log: string): Promise<string> => {
  const main = join(import.meta.dirname, "../../../examples/witness/main.ts")
  const files = ["--key", shell.path(`${name}.pem`), "--state", shell.path(`${name}.json`)]
  const child = spawn(process.execPath, [main, "--name", `example.net/${name}`, "--log", log, ...files], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  children.push(child)
  const lines = createInterface({ input: child.stdout! })
  const [line] = await new Promise<[string]>((resolve) => lines.once("line", (text) => resolve([text])))
  return line.replace("witness w ", `witness ${name} `)
}

/** An address at which everything is answered with one text. */
const answering = async (status: number, body: string): Promise<string> => {
  const server = createServer((_, response) => void response.writeHead(status).end(body))
  servers.push(server)
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  const place = server.address()
  return `http://127.0.0.1:${typeof place === "object" ? place?.port : ""}/`
}

const runs = (name: string, ...more: ReadonlyArray<string>): Promise<Ended> =>
  shell.run(["run", name, "--agent", fixture("agent.ts"), ...more])

const checkpoint = (policy: string, ...more: ReadonlyArray<string>): Promise<Ended> =>
  shell.run(["anchor", "--key", "anchor.pem", "--policy", policy, ...more])

describe("backstitch anchor --policy", () => {
  let log = ""
  let parties: ReadonlyArray<string> = []
  const write = (name: string, ...lines: ReadonlyArray<string>): string => {
    writeFileSync(shell.path(name), `${[`log ${log}`, ...parties, ...lines].join("\n")}\n`)
    return name
  }

  beforeAll(async () => {
    await runs("one")
    log = (await shell.json("anchor --key anchor.pem")).document.verifier
    cpSync(shell.path(".backstitch"), shell.path("early"), { recursive: true })
    parties = [await witness("u", log), await witness("v", log)]
    write("both.txt", "group all-of-them all u v", "quorum all-of-them")
  })

  it("has witnesses cosign a log as it grows, and demands their cosignatures of a kept checkpoint", async () => {
    const first = await checkpoint("both.txt")
    assert.strictEqual(first.code, 0, first.err)
    assert.match(first.err, /COSIGNED: witness=u \| at=20\d\d-.*\nCOSIGNED: witness=v/)
    await runs("two")
    const { code, document } = await shell.json("anchor --key anchor.pem --policy both.txt")
    assert.strictEqual(code, 0)
    assert.deepInclude(document, { size: 2, added: 1, problems: [] })
    assert.deepStrictEqual(
      document.cosigned.map((each: { readonly witness: string }) => each.witness),
      ["u", "v"]
    )
    writeFileSync(shell.path("kept.txt"), document.checkpoint)
    const verified = await shell.run(["verify", "--all", "--against", "kept.txt", "--policy", "both.txt"])
    assert.strictEqual(verified.code, 0, verified.err)
    const keys = parties.map((line) => line.split(" ")[2]!)
    const flags = ["--witness", keys[0]!, "--witness", keys[1]!]
    for (const quorum of [[], ["--quorum", "1"], ["--quorum", "2"]]) {
      const { code } = await shell.run(["verify", "one", "--against", "kept.txt", ...flags, ...quorum])
      assert.strictEqual(code, 0)
    }
  })

  it("gives no cosignature to a log that forks its history, and none of its checkpoints passes (L3)", async () => {
    cpSync(shell.path(".backstitch"), shell.path("forked"), { recursive: true })
    const log = readFileSync(shell.path("forked/heads-default.jsonl"), "utf8").split("\n")
    writeFileSync(shell.path("forked/heads-default.jsonl"), `${log[1]}\n${log[0]}\n`)
    const forked = await checkpoint("both.txt", "--store", "forked/trace.db")
    assert.deepStrictEqual([forked.code, forked.out], [1, ""])
    assert.match(forked.err, /NOT COSIGNED: witness=u \| it answers 422/)
    assert.include(forked.err, "lacks the quorum all-of-them: u, v did not cosign it")
    const alone = await shell.run(["anchor", "--key", "anchor.pem", "--store", "forked/trace.db"])
    writeFileSync(shell.path("forked.txt"), alone.out)
    const shown = ["verify", "one", "--store", "forked/trace.db", "--against", "forked.txt"]
    assert.strictEqual((await shell.run(shown)).code, 0)
    const demanded = await shell.run([...shown, "--policy", "both.txt"])
    assert.deepStrictEqual([demanded.code, demanded.err.includes("lacks the quorum")], [1, true])
  })

  it("says that a log was cut off which a witness has seen whole", async () => {
    const shorter = await checkpoint("both.txt", "--store", "early/trace.db")
    assert.strictEqual(shorter.code, 1)
    assert.include(shorter.err, "it has cosigned 2 entries, and the log has 1: restore it from a copy")
  })

  it("takes the cosignatures of the others if one witness is away, lies or answers nonsense", async () => {
    const pem = SignedNote.toKey(new Uint8Array(32).fill(9))
    const liar = Result.getOrThrow(Cosignature.signer("example.net/liar", pem)).verifier
    const other = Result.getOrThrow(TreeCheckpoint.parse(readFileSync(shell.path("kept.txt"), "utf8")))
    const stolen = other.signatures.map(TreeCheckpoint.formatSignature).join("\n").replaceAll("A", "B")
    const places = [
      await answering(200, `${stolen}\n`),
      await answering(200, "x".repeat(100_000)),
      await answering(409, "99\n"),
      await answering(409, "many\n"),
      await answering(302, ""),
      "http://127.0.0.1:1/"
    ]
    for (const [index, place] of places.entries()) {
      const policy = write(`liar-${index}.txt`, `witness liar ${liar} ${place}`, "group two 2 u v liar", "quorum two")
      const { code, err } = await checkpoint(policy)
      assert.strictEqual(code, 0, err)
      assert.match(err, /NOT COSIGNED: witness=liar/)
    }
    const policy = write("liar.txt", `witness liar ${liar} ${places[0]}`, "group three all u v liar", "quorum three")
    assert.strictEqual((await checkpoint(policy)).code, 1)
  })

  it("refuses flags that make no sense together, and a policy that is none", async () => {
    writeFileSync(shell.path("none.txt"), "quorum nobody\n")
    const key = parties[0]!.split(" ")[2]!
    for (const [args, problem] of [
      [["anchor", "--policy", "both.txt"], "name a --key"],
      [["anchor", "--key", "anchor.pem", "--policy", "away.txt"], "cannot be read"],
      [["anchor", "--key", "anchor.pem", "--policy", "none.txt"], "Line 1 of the policy"],
      [["verify", "one", "--witness", key], "name one"],
      [["verify", "one", "--against", "kept.txt", "--quorum", "1"], "name some"],
      [
        ["verify", "one", "--against", "kept.txt", "--witness", key, "--quorum", "2"],
        "--quorum 2: a number from 1 to 1"
      ],
      [["verify", "one", "--against", "kept.txt", "--witness", "foo"], '--witness 1 "foo": it is no Ed25519 key'],
      [["verify", "one", "--against", "kept.txt", "--witness", key, "--policy", "both.txt"], "leave --witness"],
      [["verify", "one", "--against", "kept.txt", "--witness", log], "of type 0x04"]
    ] as const) {
      const { code, err } = await shell.run(args)
      assert.deepStrictEqual([code, err.includes(problem)], [2, true], `${args.join(" ")}: ${err}`)
    }
    assert.isTrue(existsSync(shell.path("u.json")))
  })
})
