import * as Http from "node:http"
import * as Net from "node:net"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Draining from "../src/upkeep/Draining.ts"

const listens = (server: Http.Server) =>
  Effect.callback<number>((resume) => {
    server.listen(0, "127.0.0.1", () => resume(Effect.succeed((server.address() as Net.AddressInfo).port)))
  })

/** Waits until a server has closed, which no time forces it to. */
const closed = (server: Http.Server) => Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)))

describe("Draining", () => {
  it.live("lets go of a connection that nobody has used, and of one that is kept after its answer", () =>
    Effect.gen(function* () {
      const { begin } = yield* Draining.Draining
      let answer = (): void => {}
      const server = Http.createServer((_, response) => {
        response.write("the answer ")
        answer = () => void response.end("ends")
      })
      yield* Draining.closing(server)
      const port = yield* listens(server)
      const used = Net.connect(port, "127.0.0.1")
      let text = ""
      used.on("data", (piece) => {
        text += piece
      })
      used.write("GET / HTTP/1.1\r\nHost: here\r\n\r\n")
      yield* Effect.callback<void>((resume) => void used.once("data", () => resume(Effect.void)))
      yield* Effect.callback<void>((resume) => {
        const unused = Net.connect(port, "127.0.0.1")
        server.once("connection", () => resume(Effect.void))
        unused.resume()
      })
      yield* begin
      const closing = yield* Effect.forkChild(closed(server))
      yield* Effect.yieldNow
      answer()
      yield* Fiber.join(closing)
      assert.include(text, "ends")
    }).pipe(Effect.scoped, Effect.provide(Draining.layer))
  )
})
