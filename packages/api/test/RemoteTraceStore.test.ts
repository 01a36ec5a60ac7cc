import { readFileSync } from "node:fs"
import * as Http from "node:http"
import type { AddressInfo } from "node:net"
import * as Export from "@backstitch/trace/Export"
import * as HashChain from "@backstitch/trace/HashChain"
import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as Problem from "../src/form/Problem.ts"
import * as ExchangeApi from "../src/groups/ExchangeApi.ts"
import * as RemoteTraceStore from "../src/RemoteTraceStore.ts"

const recorded = readFileSync(
  new URL("../../../examples/travel-booking/recorded/trip-43.jsonl", import.meta.url),
  "utf8"
)

/** A server that answers each request in the given way, and goes with the scope. */
const answering = (answer: (response: Http.ServerResponse, url: string) => void) =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<Http.Server>((resolve) => {
          const server = Http.createServer(({ url = "" }, response) => answer(response, url))
          server.listen(0, "127.0.0.1", () => resolve(server))
        })
    ),
    (server) => Effect.sync(() => server.close().closeAllConnections())
  ).pipe(
    Effect.flatMap((server) =>
      RemoteTraceStore.make({
        address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        key: "bsk_x"
      })
    )
  )

const exporting = (text: string) =>
  answering((response) => response.writeHead(200, { "content-type": ExchangeApi.contentType }).end(text))

const run = Run.make("trip-43")

describe("RemoteTraceStore", () => {
  it.live("reads a run whose whole chain it has checked", () =>
    Effect.gen(function* () {
      const store = yield* exporting(recorded)
      assert.strictEqual((yield* store.info(run))?.head.tick, 14)
    })
  )

  it.live("asks for no more of a run that it follows than what came behind what it has", () =>
    Effect.gen(function* () {
      const whole = Result.getOrThrow(Export.decode(recorded))
      const early = whole.transitions.slice(0, 11)
      const first = Export.encode({ ...whole, head: HashChain.headOf(early.at(-1)!), transitions: early })
      const rest = Export.encode({ ...whole, transitions: whole.transitions.slice(11), blobs: new Map() })
      const asked: Array<string> = []
      const store = yield* answering((response, url) => {
        if (!url.includes("/export")) return response.writeHead(404).end()
        asked.push(url)
        return response
          .writeHead(200, { "content-type": ExchangeApi.contentType })
          .end(asked.length === 1 ? first : rest)
      })
      const followed = yield* store.changes({ run, from: 1 }).pipe(Stream.take(14), Stream.runCollect)
      assert.deepStrictEqual(
        followed.map(({ sealed }) => sealed.link),
        whole.transitions.map(({ link }) => link)
      )
      assert.deepStrictEqual(asked, ["/v1/runs/trip-43/export", "/v1/runs/trip-43/export?behind=11"])
    })
  )

  it.live("takes the whole from a server that leaves nothing out, and nothing from one that has nothing new", () =>
    Effect.gen(function* () {
      const whole = Result.getOrThrow(Export.decode(recorded))
      const early = whole.transitions.slice(0, 11)
      const first = Export.encode({ ...whole, head: HashChain.headOf(early.at(-1)!), transitions: early })
      const nothing = Export.header({ run, head: HashChain.headOf(early.at(-1)!) })
      for (const answers of [
        [first, recorded],
        [first, `${nothing}\n`, recorded]
      ]) {
        let asked = 0
        const store = yield* answering((response, url) => {
          if (!url.includes("/export")) return response.writeHead(404).end()
          return response.writeHead(200, { "content-type": ExchangeApi.contentType }).end(answers[asked++])
        })
        const followed = yield* store.changes({ run, from: 1 }).pipe(Stream.take(14), Stream.runCollect)
        assert.deepStrictEqual(
          followed.map(({ sealed }) => sealed.link),
          whole.transitions.map(({ link }) => link)
        )
      }
    })
  )

  it.live("says that a chain is broken which was tampered with, and not that a connection was lost", () =>
    Effect.gen(function* () {
      const store = yield* exporting(recorded.replace("under CHF 600", "under CHF 900"))
      const error = yield* Effect.flip(store.info(run))
      assert.strictEqual(error.reason, "other")
      assert.include(error.message, "tick")
    })
  )

  it.live("takes nothing in behind what it has that does not follow from it, and then the whole", () =>
    Effect.gen(function* () {
      const whole = Result.getOrThrow(Export.decode(recorded))
      const early = whole.transitions.slice(0, 11)
      const first = Export.encode({ ...whole, head: HashChain.headOf(early.at(-1)!), transitions: early })
      const rest = Export.encode({ ...whole, transitions: whole.transitions.slice(11), blobs: new Map() })
      const tampered = rest.replace(/"asOf\\":(\d+)/, (_, asOf) => `"asOf\\":${Number(asOf) + 1}`)
      assert.notStrictEqual(tampered, rest)
      const answers = [first, tampered, recorded, rest]
      const asked: Array<string> = []
      const store = yield* answering((response, url) => {
        if (!url.includes("/export")) return response.writeHead(404).end()
        asked.push(url)
        return response.writeHead(200, { "content-type": ExchangeApi.contentType }).end(answers[asked.length - 1])
      })
      const follow = store.changes({ run, from: 12 }).pipe(Stream.take(3), Stream.runCollect)
      assert.strictEqual((yield* store.info(run))?.head.tick, 11)
      const refused = yield* Effect.flip(follow)
      assert.include(refused.message, "tick 12")
      assert.strictEqual(refused.reason, "other")
      assert.deepStrictEqual(
        (yield* follow).map(({ sealed }) => sealed.link),
        whole.transitions.slice(11).map(({ link }) => link)
      )
      const path = "/v1/runs/trip-43/export"
      assert.deepStrictEqual(asked, [path, `${path}?behind=11`, path])
    })
  )

  it.live("follows a run of which a fork has brought more meanwhile", () =>
    Effect.gen(function* () {
      const history = (name: string) =>
        readFileSync(new URL(`../../runtime/test/histories/forking-3/${name}.jsonl`, import.meta.url), "utf8")
      const whole = Result.getOrThrow(Export.decode(history("trip")))
      const early = whole.transitions.slice(0, 4)
      const answers = new Map([["/v1/runs/other/export", history("other")]])
      answers.set(
        "/v1/runs/trip/export",
        Export.encode({ ...whole, head: HashChain.headOf(early.at(-1)!), transitions: early })
      )
      for (const behind of [4, 8]) {
        const rest = { ...whole, transitions: whole.transitions.slice(behind), blobs: new Map() }
        answers.set(`/v1/runs/trip/export?behind=${behind}`, Export.encode(rest))
      }
      const store = yield* answering((response, url) => {
        const answer = answers.get(url)
        if (answer === undefined) return response.writeHead(404).end()
        return response.writeHead(200, { "content-type": ExchangeApi.contentType }).end(answer)
      })
      const trip = Run.make("trip")
      assert.strictEqual((yield* store.info(trip))?.head.tick, 4)
      assert.strictEqual((yield* store.info(Run.make("other")))?.head.tick, 10)
      answers.set("/v1/runs/trip/export", history("trip"))
      const followed = yield* store.changes({ run: trip, from: 5 }).pipe(Stream.take(18), Stream.runCollect)
      assert.deepStrictEqual(
        followed.map(({ sealed }) => sealed.link),
        whole.transitions.slice(4).map(({ link }) => link)
      )
    })
  )

  it.live("asks again later if the server has gone, or does not answer now", () =>
    Effect.gen(function* () {
      const cut = yield* answering((response) => response.destroy())
      assert.strictEqual((yield* Effect.flip(cut.info(run))).reason, "lost")
      const late = Problem.make("AnswerLate", 503, { detail: "The answer took too long" })
      const unready = yield* answering((response) =>
        response.writeHead(503, { "content-type": Problem.contentType }).end(JSON.stringify(late))
      )
      assert.strictEqual((yield* Effect.flip(unready.info(run))).reason, "lost")
    })
  )
})
