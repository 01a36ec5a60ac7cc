import { createHmac } from "node:crypto"
import type { Outcome } from "@backstitch/kernel/Outcome"
import type { Json } from "@backstitch/trace/Canonical"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as TestClock from "effect/testing/TestClock"
import * as WebhookIntake from "../src/deliveries/WebhookIntake.ts"
import type * as PackLibrary from "../src/history/PackLibrary.ts"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import * as DecisionReplay from "../src/replay/DecisionReplay.ts"
import * as HeldActions from "../src/reporting/HeldActions.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import type * as RunHandle from "../src/run/RunHandle.ts"
import * as Airline from "./airline.ts"
import * as lab from "./lab.ts"

const { packOf, secret } = Airline
const pack = packOf()

/** The same under another form, or with more that the contract demands. */
const hooked = (more: object) =>
  packOf({
    webhook: {
      secret: "AIRLINE_SECRET",
      key: "body.key",
      done: "body.status == 'booked'",
      output: "body.booking",
      ...more
    }
  })

/** A delivery as Stripe signs it: the time in seconds and the body. */
const stamped = (body: Json, seconds: number, by = secret): WebhookIntake.ToolDelivery => {
  const text = JSON.stringify(body)
  const signature = createHmac("sha256", by).update(`${seconds}.${text}`).digest("hex")
  return {
    tool: "book",
    body: Buffer.from(text),
    headers: new Map([["stripe-signature", `t=${seconds},v1=${signature}`]])
  }
}

/** One as Standard Webhooks has it, under a name of its own. */
const named = (id: string, body: Json, seconds: number): WebhookIntake.ToolDelivery => {
  const text = JSON.stringify(body)
  const key = Buffer.from("c2VjcmV0IG9mIHRoZSBhaXJsaW5l", "base64")
  const signature = createHmac("sha256", key).update(`${id}.${seconds}.${text}`).digest("base64")
  const headers = { "webhook-id": id, "webhook-timestamp": String(seconds), "webhook-signature": `v1,${signature}` }
  return { tool: "book", body: Buffer.from(text), headers: new Map(Object.entries(headers)) }
}

const env = { AIRLINE_SECRET: secret }
const standardEnv = { AIRLINE_SECRET: "whsec_c2VjcmV0IG9mIHRoZSBhaXJsaW5l" }

const codesOf = (outcome: Outcome) => (outcome._tag === "Refused" ? outcome.checks.map(({ why }) => why?.code) : [])

const signed = (body: Json, by = secret, form = "hmac") => signedText(JSON.stringify(body), by, form)

const signedText = (text: string, by = secret, form = "hmac"): WebhookIntake.ToolDelivery => {
  const signature = `sha256=${createHmac("sha256", by).update(text).digest("hex")}`
  return {
    tool: "book",
    body: Buffer.from(text),
    headers: new Map([[form === "github" ? "x-hub-signature-256" : "x-signature", signature]])
  }
}

const notGenuine = "delivery.not_genuine"
const notTimely = "delivery.not_timely"

const configured = (env: Record<string, string>) =>
  Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))

/** A booking that was made, whose answer got lost, and which cannot be asked about just now. */
const scene = Effect.fnUntraced(function* (
  use: (at: {
    readonly handle: RunHandle.RunHandle
    readonly key: string
    readonly keys: () => ReadonlyArray<string>
    readonly deliver: (arrived: WebhookIntake.ToolDelivery) => ReturnType<typeof WebhookIntake.deliver>
    readonly another: (
      use: (handle: RunHandle.RunHandle) => ReturnType<typeof WebhookIntake.deliver>
    ) => Effect.Effect<Outcome, unknown>
  }) => Effect.Effect<void, unknown, PackLibrary.PackLibrary | TraceStore.TraceStore>,
  by = pack
) {
  const store = yield* lab.shared
  const world = new lab.World()
  const keys = new Set<string>()
  const { book } = world.tools
  const tools: ToolExecutor.Tools = {
    ...world.tools,
    book: {
      ...book!,
      execute: (params: never, context) => {
        keys.add(context.key ?? "")
        world.faults.push("lost")
        return book!.execute(params, context)
      },
      status: async () => {
        throw new Error("busy")
      }
    }
  }
  const executor = ToolExecutor.fromTools(tools)
  /** Another process, which opens the run as it stands. */
  const another = (more: (handle: RunHandle.RunHandle) => ReturnType<typeof WebhookIntake.deliver>) =>
    lab.as(lab.process(store, { executor }))(
      Effect.gen(function* () {
        const coordinator = yield* Coordinator.Coordinator
        return yield* more(yield* coordinator.reopen(lab.trip))
      })
    )
  yield* lab.as(lab.process(store, { executor }))(
    Effect.gen(function* () {
      const coordinator = yield* Coordinator.Coordinator
      const handle = yield* coordinator.open(lab.trip, { pack: by, goal: "goal" })
      const outcome = yield* handle.propose(lab.book("LX1"))
      assert.strictEqual(outcome._tag, "Held")
      const [key = ""] = keys
      yield* use({
        handle,
        key,
        keys: () => [...keys],
        another,
        deliver: (arrived) => WebhookIntake.deliver(handle, arrived)
      })
    })
  )
  return { world, all: yield* lab.as(lab.process(store))(lab.transitions()) }
})

const booked = (key: string) => ({ key, status: "booked", booking: { id: "book LX1" } })

describe("WebhookIntake", () => {
  it.effect("settles a pending act once the record shows it, and keeps the secret out of the trace", () =>
    Effect.gen(function* () {
      const { all, world } = yield* scene(({ deliver, handle, key }) =>
        Effect.gen(function* () {
          const outcome = yield* deliver(signed(booked(key)))
          assert.deepInclude(outcome, { _tag: "Done", basis: "readback" })
          assert.strictEqual((yield* handle.position).state.world["spent"], 80)
          assert.strictEqual((yield* deliver(signed(booked(key))))._tag, "Refused", "it counts once")
        }).pipe(configured({ AIRLINE_SECRET: secret }))
      )
      assert.deepStrictEqual(world.doubled, [])
      assert.strictEqual(all.filter(({ body }) => body.type === "action.reconciled").length, 1)
      assert.notInclude(JSON.stringify(all), secret)
    })
  )

  it.effect(
    "refuses a body that another secret signed, one that was changed on the way, and a signed one that is no JSON",
    () =>
      Effect.gen(function* () {
        const { all } = yield* scene(({ deliver, key }) =>
          Effect.gen(function* () {
            const right = signed(booked(key))
            for (const arrived of [
              signed(booked(key), "another secret"),
              { ...right, body: Buffer.from(Buffer.from(right.body).toString().replace("LX1", "LX2")) },
              { ...right, headers: new Map() },
              { ...right, body: Buffer.from("<html>booked</html>") }
            ]) {
              assert.strictEqual((yield* deliver(arrived))._tag, "Refused")
            }
            for (const text of ["<html>booked</html>", "", '{"key":"\\ud800"}']) {
              assert.deepStrictEqual(codesOf(yield* deliver(signedText(text))), ["delivery.unreadable"])
            }
          }).pipe(configured({ AIRLINE_SECRET: secret }))
        )
        assert.notInclude(lab.types(all), "action.reconciled")
      })
  )

  it.effect.each(["hmac", "github", "stripe", "standard_webhooks"] as const)(
    "counts for operators what nobody signed as %s, or of another time, and keeps nothing of it, however much comes",
    (form) =>
      Effect.gen(function* () {
        const now = 1_700_000_000
        const env = form === "standard_webhooks" ? standardEnv : { AIRLINE_SECRET: secret }
        const { all } = yield* scene(
          ({ deliver, handle, key }) =>
            Effect.gen(function* () {
              yield* TestClock.setTime(now * 1000)
              const made = (nth: number, seconds: number) => {
                const body = { ...booked(key), nth, sent: seconds }
                if (form === "stripe") return stamped(body, seconds)
                return form === "standard_webhooks" ? named(`msg_${nth}`, body, seconds) : signed(body, secret, form)
              }
              const { head } = yield* handle.position
              for (let nth = 0; nth < 8; nth++) {
                const right = made(nth, now)
                const texts = [`${Buffer.from(right.body)} `, "<html>", "", JSON.stringify({ ...booked(key), nth })]
                const bodies = [...texts.map((text) => Buffer.from(text)), Buffer.from([0xff, nth])]
                const forged = [...bodies.map((body) => ({ ...right, body })), { ...right, headers: new Map() }]
                for (const arrived of forged) assert.deepStrictEqual(codesOf(yield* deliver(arrived)), [notGenuine])
                assert.deepStrictEqual(codesOf(yield* deliver(made(nth, now - 301))), [notTimely])
              }
              assert.deepStrictEqual((yield* handle.position).head, head)
              const labels = { tenant: handle.run.tenant, tool: "book" }
              for (const [fault, times] of Object.entries({ signature: 8 * 6, time: 8 })) {
                const counter = Metric.withAttributes(WebhookIntake.unauthenticated, { ...labels, fault })
                assert.strictEqual((yield* Metric.value(counter)).count, times)
              }
              assert.strictEqual((yield* deliver(made(0, now)))._tag, "Done", "the genuine one still counts")
            }).pipe(configured(env), Effect.provideService(Metric.MetricRegistry, new Map())),
          hooked({ form, sent: "body.sent" })
        )
        assert.notInclude(lab.types(all), "kernel.anomaly")
      })
  )

  it.effect("cannot check anything without the secret, and says which variable is missing", () =>
    scene(({ deliver, key }) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(deliver(signed(booked(key))))
        assert.include(String(error), "AIRLINE_SECRET")
        const other = yield* Effect.flip(deliver({ ...signed(booked(key)), tool: "tell" }))
        assert.include(String(other), "has no webhook")
      }).pipe(configured({}))
    )
  )

  it.effect("keeps a delivery while a person decides, and goes on by it once they have reopened the action", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const world = new lab.World()
      let price = 95
      const book = { ...world.tools["book"]!, readback: async () => ({ id: "book LX1", price }) }
      const executor = ToolExecutor.fromTools({ ...world.tools, book })
      yield* lab.as(lab.process(store, { executor }))(
        Effect.gen(function* () {
          const coordinator = yield* Coordinator.Coordinator
          const handle = yield* coordinator.open(lab.trip, { pack: packOf({ status: "none" }), goal: "goal" })
          assert.strictEqual((yield* lab.elapsing(handle.propose(lab.book("LX1"))))._tag, "Held")
          const [started] = (yield* lab.transitions()).filter(({ stamp }) => stamp.key !== undefined)
          const arrived = signed(booked(started?.stamp.key ?? ""))
          const deliver = WebhookIntake.deliver(handle, arrived).pipe(configured({ AIRLINE_SECRET: secret }))
          assert.strictEqual((yield* deliver)._tag, "Held")
          assert.strictEqual((yield* deliver)._tag, "Refused")
          const [held] = yield* HeldActions.list(lab.trip.tenant)
          assert.include(held?.why, "its provider says meanwhile that it is done")
          const data = { action: held?.action ?? "", as: "reopened", by: "Ada", evidence: "the airline corrected it" }
          assert.strictEqual((yield* handle.propose({ type: "review.decided", author: "user", data }))._tag, "Done")
          price = 80
          assert.deepStrictEqual(
            (yield* handle.resume).map(({ _tag }) => _tag),
            ["Done"]
          )
          const all = yield* lab.transitions()
          const told = all.filter(({ body }) => body.data?.["delivery"] !== undefined)
          assert.deepStrictEqual(
            told.map(({ body }) => body.result?.basis),
            [undefined, "status"]
          )
          assert.notInclude(lab.types(all), "kernel.anomaly")
          assert.deepStrictEqual((yield* DecisionReplay.redecide(lab.trip, { secret: "secret" })).differs, [])
        })
      )
    })
  )

  it.effect("takes a delivery within its tolerance of time to the millisecond, before and after, and none beyond", () =>
    Effect.gen(function* () {
      const sent = 1_700_000_000
      const tolerance = 90_000
      for (const [late, expected] of [
        [-tolerance - 1, "time"],
        [-tolerance, undefined],
        [tolerance, undefined],
        [tolerance + 1, "time"]
      ] as const) {
        const { all } = yield* scene(
          ({ deliver, key }) =>
            Effect.gen(function* () {
              yield* TestClock.setTime(sent * 1000 + late)
              const outcome = yield* deliver(stamped(booked(key), sent))
              assert.strictEqual(outcome._tag, expected === undefined ? "Done" : "Refused", `${late}`)
            }).pipe(configured(env)),
          hooked({ form: "stripe", tolerance: "90s" })
        )
        assert.strictEqual(lab.types(all).includes("action.reconciled"), expected === undefined)
        assert.notInclude(lab.types(all), "kernel.anomaly")
      }
    })
  )

  it.effect("takes five minutes for the tolerance if the contract states none, and reads a time of the body", () =>
    Effect.gen(function* () {
      const sent = 1_700_000_000_000
      const body = (key: string) => ({ ...booked(key), sent: new Date(sent).toISOString().replace("Z", "+00:00") })
      for (const late of [300_000, 300_001]) {
        yield* scene(
          ({ deliver, key }) =>
            Effect.gen(function* () {
              yield* TestClock.setTime(sent + late)
              assert.strictEqual((yield* deliver(signed(body(key))))._tag, late === 300_000 ? "Done" : "Refused")
            }).pipe(configured(env)),
          hooked({ sent: "body.sent" })
        )
      }
      yield* scene(
        ({ deliver, key }) =>
          Effect.gen(function* () {
            assert.strictEqual((yield* deliver(signed(booked(key))))._tag, "Refused", "a body without its time")
          }).pipe(configured(env)),
        hooked({ sent: "body.sent" })
      )
    })
  )

  it.effect("refuses a replay in another process, under another signature of the same body, and counts it once", () =>
    Effect.gen(function* () {
      const { all } = yield* scene(
        ({ another, deliver, key }) =>
          Effect.gen(function* () {
            assert.strictEqual((yield* deliver(stamped(booked(key), 0)))._tag, "Done")
            for (const seconds of [0, 7]) {
              const outcome = yield* another((handle) =>
                WebhookIntake.deliver(handle, stamped(booked(key), seconds)).pipe(configured(env))
              )
              assert.deepStrictEqual(codesOf(outcome), ["delivery.replayed"])
            }
          }).pipe(configured(env)),
        hooked({ form: "stripe" })
      )
      assert.strictEqual(all.filter(({ body }) => body.data?.["delivery"] !== undefined).length, 1)
      assert.notInclude(lab.types(all), "kernel.anomaly")
    })
  )

  it.effect(
    "refuses a name that counts already, whatever else its provider signs under it, in its tenant alone (L15)",
    () =>
      Effect.gen(function* () {
        const by = hooked({ form: "standard_webhooks", failed: "body.status == 'sold_out'" })
        const { all } = yield* scene(
          ({ deliver, handle, key }) =>
            Effect.gen(function* () {
              assert.strictEqual((yield* deliver(named("msg_1", { ...booked(key), status: "queued" }, 0)))._tag, "Held")
              assert.strictEqual(
                (yield* deliver(named("msg_1", booked(key), 1)))._tag,
                "Done",
                "what moved nothing is no replay"
              )
              const failed = { ...booked(key), status: "sold_out" }
              assert.deepStrictEqual(codesOf(yield* deliver(named("msg_1", failed, 2))), ["delivery.replayed"])
              const store = yield* TraceStore.TraceStore
              const [held] = yield* store.claims(handle.run.tenant, { namespace: "delivery" })
              assert.strictEqual(held?.run.id, "trip")
              assert.deepStrictEqual(yield* store.claims("umbrella" as never, { namespace: "delivery" }), [])
            }).pipe(configured(standardEnv)),
          by
        )
        assert.notInclude(lab.types(all), "kernel.anomaly")
      })
  )

  it.effect("counts once if two processes take it in at the same moment", () =>
    Effect.gen(function* () {
      const { all } = yield* scene(
        ({ another, deliver, key }) =>
          Effect.gen(function* () {
            const arrived = stamped(booked(key), 0)
            yield* Effect.all(
              [deliver(arrived), another((handle) => WebhookIntake.deliver(handle, arrived).pipe(configured(env)))],
              { concurrency: 2 }
            )
          }).pipe(configured(env)),
        hooked({ form: "stripe" })
      )
      const told = all.filter(({ body }) => body.type === "action.result" && body.data?.["delivery"] !== undefined)
      assert.strictEqual(told.length, 1)
    })
  )

  it.effect("is refused a name that another action took after it was looked up", () =>
    Effect.gen(function* () {
      const { all } = yield* scene(
        ({ deliver, handle, key, keys }) =>
          Effect.gen(function* () {
            yield* handle.propose(lab.book("LX2"))
            const [other = ""] = keys().filter((each) => each !== key)
            assert.strictEqual((yield* deliver(named("msg_1", booked(key), 0)))._tag, "Done")
            const store = yield* TraceStore.TraceStore
            const outcome = yield* deliver(named("msg_1", booked(other), 0)).pipe(
              Effect.provideService(TraceStore.TraceStore, { ...store, claims: () => Effect.succeed([]) })
            )
            assert.deepStrictEqual(codesOf(outcome), ["delivery.replayed"])
          }).pipe(configured(standardEnv)),
        hooked({ form: "standard_webhooks" })
      )
      assert.strictEqual(all.filter(({ body }) => body.type === "action.reconciled").length, 1)
    })
  )

  it.effect("accepts the secret that goes and the one that comes while both are set, and no other", () =>
    Effect.gen(function* () {
      const by = hooked({ tolerance: "none", secret: ["AIRLINE_SECRET", "AIRLINE_SECRET_OLD"] })
      for (const [signer, tag] of [
        ["the old one", "Done"],
        [secret, "Done"],
        ["a guess", "Refused"]
      ] as const) {
        yield* scene(
          ({ deliver, key }) =>
            Effect.gen(function* () {
              assert.strictEqual((yield* deliver(signed(booked(key), signer)))._tag, tag)
            }).pipe(configured({ ...env, AIRLINE_SECRET_OLD: "the old one" })),
          by
        )
      }
    })
  )

  it.effect("names the variable that holds no secret of its form, and not its content", () =>
    scene(
      ({ deliver, key }) =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(deliver(named("msg_1", booked(key), 0)))
          assert.include(String(error), "AIRLINE_SECRET holds no secret of the form standard_webhooks")
          assert.notInclude(JSON.stringify(error), "whsec_!")
        }).pipe(configured({ AIRLINE_SECRET: "whsec_!" })),
      hooked({ form: "standard_webhooks" })
    )
  )

  it.effect("finds the run that holds the key of a body, and none for a key that was never begun", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const webhook = pack.tools["book"]!.webhook!
      const find = (text: string) => WebhookIntake.runOf(lab.trip.tenant, webhook, Buffer.from(text))
      yield* lab.as(lab.process(store))(
        Effect.gen(function* () {
          const coordinator = yield* Coordinator.Coordinator
          const handle = yield* coordinator.open(lab.trip, { pack, goal: "goal" })
          yield* handle.propose(lab.book("LX1"))
          const key = (yield* lab.transitions()).find(({ stamp }) => stamp.key !== undefined)?.stamp.key ?? ""
          assert.deepStrictEqual(yield* find(JSON.stringify(booked(key))), lab.trip)
          for (const text of [JSON.stringify(booked("another")), JSON.stringify({ key: 7 }), "[]", "", "<html>"]) {
            assert.isUndefined(yield* find(text), text)
          }
        })
      )
    })
  )
})
