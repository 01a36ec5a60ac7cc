import { createServer, type Server } from "node:http"
import * as Cosignature from "@backstitch/transparency/Cosignature"
import * as SignedNote from "@backstitch/transparency/SignedNote"
import * as TreeCheckpoint from "@backstitch/transparency/TreeCheckpoint"
import * as TreeHead from "@backstitch/transparency/TreeHead"
import * as WitnessPolicy from "@backstitch/transparency/WitnessPolicy"
import * as WitnessRequest from "@backstitch/transparency/WitnessRequest"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { afterAll } from "vitest"
import * as WitnessClient from "../src/proof/WitnessClient.ts"

const servers: Array<Server> = []
afterAll(() => Promise.all(servers.map((server) => new Promise((done) => server.close(done)))))

const pem = (fill: number) => SignedNote.toKey(new Uint8Array(32).fill(fill))
const log = Result.getOrThrow(SignedNote.signer("example.org/log", pem(1)))
const cosigner = Result.getOrThrow(Cosignature.signer("example.org/witness", pem(2)))
const another = Result.getOrThrow(Cosignature.signer("example.org/witness", pem(3)))

const leaves = ["one", "two", "three"].map((text) => TreeHead.leaf(text))
const bare = {
  origin: "example.org/log",
  head: { size: leaves.length, root: TreeHead.root(leaves) },
  extensions: [],
  signatures: []
}
const body = Result.getOrThrow(TreeCheckpoint.format(bare))
const checkpoint = { ...bare, signatures: [SignedNote.sign(log, body)] }

type Answer = (request: WitnessRequest.WitnessRequest) => readonly [status: number, text: string]

/** The address of a witness that answers so. */
const serving = (answer: Answer) =>
  Effect.promise(async () => {
    const server = createServer(async (request, response) => {
      let text = ""
      for await (const chunk of request) text += String(chunk)
      const [status, said] = answer(Result.getOrThrow(WitnessRequest.parse(text)))
      response.writeHead(status).end(said)
    })
    servers.push(server)
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
    const place = server.address()
    return `http://127.0.0.1:${typeof place === "object" ? place?.port : ""}`
  })

/** The answer that is read from such a witness. */
const asked = (answer: Answer) =>
  Effect.gen(function* () {
    const url = yield* serving(answer)
    const party = { name: "w", verifier: cosigner.verifier, url }
    const [found] = yield* WitnessClient.cosign([party as never], checkpoint, leaves)
    return found!
  })

const signedBy = (...signers: ReadonlyArray<SignedNote.Signer>): string =>
  WitnessRequest.formatAnswer(signers.map((signer) => Cosignature.sign(signer, body, 5)))

describe("WitnessClient", () => {
  it.live("takes the cosignature of the witness itself, and no other signer's in its name", () =>
    Effect.gen(function* () {
      const found = yield* asked(() => [200, signedBy(another, cosigner)])
      assert.deepStrictEqual([found.signatures.length, found.problem], [1, undefined])
      const forged = yield* asked(() => [200, signedBy(another)])
      assert.deepStrictEqual([forged.signatures, forged.problem], [[], "its answer holds no cosignature of its key"])
    })
  )

  it.live("asks again from the size that a witness knows, with the proof that the log has only grown", () =>
    Effect.gen(function* () {
      const sizes: Array<number> = []
      const found = yield* asked(({ old, proof }) => {
        sizes.push(old)
        return old === 2 && proof.length > 0 ? [200, signedBy(cosigner)] : [409, "2\n"]
      })
      assert.deepStrictEqual([sizes, found.signatures.length], [[0, 2], 1])
      const longer = yield* asked(() => [409, "9\n"])
      assert.include(longer.problem, "it has cosigned 9 entries, and the log has 3: restore it from a copy")
    })
  )

  it.live("names the reason for a missing cosignature: a refusal, an answer that is too long, no witness", () =>
    Effect.gen(function* () {
      assert.include((yield* asked(() => [422, ""])).problem, "it answers 422, as to a log that has not only grown")
      assert.include((yield* asked(() => [200, "x".repeat(70_000)])).problem, "its answer is too long")
      const nowhere = { name: "w", verifier: cosigner.verifier, url: "http://127.0.0.1:1/" } as never
      const [found] = yield* WitnessClient.cosign([nowhere], checkpoint, leaves)
      assert.include(found?.problem, "it cannot be asked")
      const silent = { name: "w", verifier: cosigner.verifier } as never
      assert.deepStrictEqual(yield* WitnessClient.cosign([silent], checkpoint, leaves), [])
    })
  )

  it.live("gathers as many cosignatures as a policy wants, and tells of each witness that refuses", () =>
    Effect.gen(function* () {
      const url = yield* serving(() => [200, signedBy(cosigner)])
      const parties = [
        { name: "w", verifier: cosigner.verifier, url },
        { name: "lost", verifier: another.verifier, url: "http://127.0.0.1:1/" }
      ]
      const policyOf = (quorum: string) =>
        Result.getOrThrow(
          WitnessPolicy.parse(
            [
              ...parties.map(({ name, url, verifier }) => `witness ${name} ${verifier} ${url}`),
              `quorum ${quorum}`,
              ""
            ].join("\n")
          )
        )
      const refusals: Array<string> = []
      const gather = (quorum: string) =>
        WitnessClient.gather(policyOf(quorum), { checkpoint, entries: [] }, ({ witness }) => refusals.push(witness))
      const { checkpoint: grown, cosigned, problems } = yield* gather("w")
      assert.deepStrictEqual([grown.signatures.length, cosigned.length, refusals], [2, 1, ["lost"]])
      assert.deepInclude(problems[0]?.fault, { code: "unreachable" })
      const few = yield* Effect.flip(gather("lost"))
      assert.deepStrictEqual(refusals, ["lost", "lost"], few.message)
    })
  )
})
