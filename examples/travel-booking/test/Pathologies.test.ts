/**
 * The fourteen ways in which an agent comes to believe in a false success. The world, or a planner that lies,
 * provokes each of them, and the test shows the guard that keeps it from being believed or reported. After each, the
 * permitted report is compared with the world's own database: no false success escapes.
 *
 * @source Action Verification, "Hallucinated Success and Assumed Completion"
 */
import type { Outcome } from "@backstitch/kernel/Outcome"
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import type { Json } from "@backstitch/trace/Canonical"
import * as Wording from "@backstitch/wording/Wording"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Scene from "./scene.ts"

const { booking, instead, seat } = Scene

const cancelling = (pnr: string) => ({ tool: "cancel_flight", params: { pnr } })
const room = { hotel: "lago", guest: "Anna Keller", from: "2026-12-18", nights: 3, price: 29_400 }
const confirming = { to: "anna@example.com", template: "trip-confirmation", body: "Booked." }

/** Plays a scene, and then compares the permitted report with the real effects. */
const play = (body: Parameters<typeof Scene.scene>[0], bind?: Parameters<typeof Scene.scene>[1]): Promise<void> =>
  Scene.scene(
    (scene) =>
      Effect.gen(function* () {
        yield* body(scene)
        const { actions } = yield* scene.report
        const told = actions.filter(({ standing }) => standing === "success")
        const { bookings = [], charges = [], messages = [], stays = [] } = yield* scene.truth
        const done = {
          book_flight: bookings.filter(({ flight, status }) => flight === seat.flight && status !== "on_hold").length,
          cancel_flight: bookings.filter(({ status }) => status === "cancelled").length,
          book_hotel: stays.filter(({ nights, status }) => nights === room.nights && status === "confirmed").length,
          charge_card: charges.filter(({ amount }) => amount === seat.price).length,
          send_confirmation: messages.filter(({ status }) => status === "delivered").length
        }
        for (const [tool, count] of Object.entries(done)) {
          // A reported success that the world does not have has escaped.
          assert.isAtMost(told.filter((each) => each.tool === tool).length, count, `${tool} escaped`)
        }
        // So has a reported reversal that the world does not have.
        const undone = actions.filter(({ standing, tool }) => standing === "compensated" && tool === "book_flight")
        assert.isAtMost(undone.length, done.cancel_flight, "a reversal escaped")
      }),
    bind
  )

const standings = (scene: Scene.Scene) =>
  Effect.map(scene.report, ({ actions }) => actions.map(({ standing, tool }) => `${tool} ${standing}`))

const isSuccess = (scene: Scene.Scene) =>
  Effect.map(
    scene.report,
    ({ actions }) => actions.length > 0 && actions.every(({ standing }) => standing === "success")
  )

const outputOf = (outcome: Outcome): { readonly [name: string]: Json } => {
  assert.strictEqual(outcome._tag, "Done")
  return outcome._tag === "Done" ? (outcome.output as { readonly [name: string]: Json }) : {}
}

describe("hallucinated success", () => {
  it("HS-01: a planner that says that it booked has not: no action, no success, no belief", () =>
    play((scene) =>
      Effect.gen(function* () {
        const claim = { type: "action.result", data: { output: { status: "confirmed" } } }
        assert.strictEqual((yield* scene.propose(claim))._tag, "Refused")
        const content = "Your flight is booked."
        assert.strictEqual((yield* scene.propose({ type: "message.sent", data: { content } }))._tag, "Refused")
        const data = { content, reports: ["a99"] }
        assert.strictEqual((yield* scene.propose({ type: "message.sent", data }))._tag, "Refused")
        yield* scene.propose({ type: "observation.add", data: { text: "booked", cites: "a99" } })
        assert.deepStrictEqual(yield* standings(scene), [])
        assert.isFalse(yield* isSuccess(scene))
        assert.deepStrictEqual([yield* scene.world, yield* scene.seats], [0, 0])
        assert.include(yield* scene.story, "kernel.anomaly")
      })
    ))

  it("HS-02: arguments that do not fit are refused with the expected form, and nothing is executed", () =>
    play((scene) =>
      Effect.gen(function* () {
        const outcome = yield* scene.propose({ tool: "book_flight", params: { ...seat, price: "much" } })
        assert.strictEqual(outcome._tag, "Refused")
        assert.include(Wording.why(outcome), "schema price")
        assert.deepStrictEqual(yield* scene.story, ["intent.refused"])
        assert.strictEqual(yield* scene.seats, 0)
        assert.isFalse(yield* isSuccess(scene))
      })
    ))

  it("HS-03: a message that was accepted and is queued is not delivered", () =>
    play((scene) =>
      Effect.gen(function* () {
        yield* paid(scene)
        yield* scene.arm("send_confirmation", "partial")
        const outcome = yield* scene.propose({ tool: "send_confirmation", params: confirming })
        assert.notStrictEqual(outcome._tag, "Done")
        assert.notInclude(yield* standings(scene), "send_confirmation success")
        assert.isFalse(yield* isSuccess(scene))
      })
    ))

  it("HS-04: a flight that is booked and a room that is a night short are no finished trip", () =>
    play((scene) =>
      Effect.gen(function* () {
        assert.strictEqual((yield* scene.propose(booking))._tag, "Done")
        yield* scene.arm("book_hotel", "partial")
        assert.notStrictEqual((yield* scene.propose({ tool: "book_hotel", params: room }))._tag, "Done")
        const told = yield* standings(scene)
        assert.include(told, "book_flight success")
        assert.notInclude(told, "book_hotel success")
        assert.isFalse(yield* isSuccess(scene))
        // The report of the whole run names the missing part, and not only the best one.
        const { say, standing } = yield* scene.report
        assert.notInclude(["success", "partial"], standing)
        assert.notInclude(say, "completed")
      })
    ))

  for (const kind of ["timeout_before_commit", "timeout_after_commit"]) {
    it(`HS-05: a time-out (${kind}) is neither: the system of record is asked, and one seat is sold`, () =>
      play((scene) =>
        Effect.gen(function* () {
          yield* scene.arm("book_flight", kind, 1)
          assert.deepInclude(yield* scene.propose(booking), { _tag: "Done", basis: "readback" })
          assert.include(yield* scene.story, "action.result unknown")
          assert.strictEqual(yield* scene.seats, 1)
        })
      ))
  }

  it("HS-06: a retry is sent under the same key, and a planner that tries again gets the same act", () =>
    play((scene) =>
      Effect.gen(function* () {
        yield* scene.arm("book_flight", "timeout_before_commit", 1)
        const first = outputOf(yield* scene.propose(booking))
        const other = yield* scene.propose({ ...booking, params: { ...seat, price: 1 } })
        assert.strictEqual(other._tag, "Refused", "the key is bound to the request")
        const same = yield* scene.propose({ ...booking, params: { ...seat, flight: "rh101-2026-12-18" } })
        assert.deepInclude(same, { _tag: "Done", basis: "recorded" })
        assert.strictEqual(outputOf(same)["pnr"], first["pnr"])
        const { requests = [] } = yield* scene.truth
        const sent = requests.flatMap(({ key, tool }) => (tool === "book_flight" ? [key] : []))
        assert.deepStrictEqual([sent.length, new Set(sent).size, typeof sent[0]], [2, 1, "string"])
        assert.strictEqual(yield* scene.seats, 1)
      })
    ))

  it("HS-07: a replica that confirms confirms nothing", () =>
    play(
      (scene) =>
        Effect.gen(function* () {
          assert.notStrictEqual((yield* scene.propose(booking))._tag, "Done")
          assert.strictEqual(yield* scene.world, 0)
          assert.isFalse(yield* isSuccess(scene))
        }),
      instead("book_flight", ({ readback }) => ({
        readback: async (context, params) =>
          new ToolExecutor.Reading((await readback!(context, params)) as Json, "replica")
      }))
    ))

  it("HS-08: a cached read confirms no intended value, and refutes nothing by an earlier time", () => {
    const cache = new Map<string, Json>()
    return play(
      (scene) =>
        Effect.gen(function* () {
          const { pnr } = outputOf(yield* scene.propose(booking))
          cache.set(String(pnr), { pnr: pnr!, status: "cancelled" })
          yield* scene.arm("cancel_flight", "lie", 1)
          assert.notStrictEqual((yield* scene.propose(cancelling(String(pnr))))._tag, "Done")
          assert.notInclude(yield* standings(scene), "cancel_flight success")
          cache.set(String(pnr), { pnr: pnr!, status: "confirmed" })
          yield* scene.disarm
          yield* scene.reopen
          assert.notStrictEqual((yield* scene.recover)?._tag, "Done")
          assert.notInclude(yield* standings(scene), "cancel_flight failure")
        }),
      instead("cancel_flight", ({ readback }) => ({
        readback: async (context, params: { readonly pnr: string }) => {
          const known = cache.get(params.pnr)
          return known === undefined ? readback!(context, params as never) : new ToolExecutor.Reading(known, "cache")
        }
      }))
    )
  })

  it("HS-09: a record that has not arrived yet is waited for, and reported when it has", () =>
    play((scene) =>
      Effect.gen(function* () {
        yield* scene.arm("book_flight", "slow_commit", 1)
        assert.deepInclude(yield* scene.propose(booking), { _tag: "Done", basis: "readback" })
        assert.include(yield* scene.story, "action.result unknown")
        assert.strictEqual(yield* scene.seats, 1)
        assert.isTrue(yield* isSuccess(scene))
      })
    ))

  it("HS-10: an error whose text claims success is a typed error", () =>
    play(
      (scene) =>
        Effect.gen(function* () {
          const outcome = yield* scene.propose(booking)
          assert.strictEqual(outcome._tag, "Failed")
          assert.deepStrictEqual(yield* standings(scene), ["book_flight failure"])
          assert.strictEqual(yield* scene.world, 0)
        }),
      instead("book_flight", () => ({
        execute: () => {
          throw new ToolExecutor.ToolRefused("SUCCESS: your booking was completed successfully (error 0)")
        }
      }))
    ))

  it("HS-11: nothing is reported as done before it is reconciled, whatever the planner says meanwhile", () =>
    play((scene) =>
      Effect.gen(function* () {
        yield* scene.arm("get_booking", "unavailable")
        const held = yield* scene.propose(booking)
        const reports = held._tag === "Held" ? [held.action] : assert.fail(held._tag)
        const claim = { type: "message.sent", data: { content: "All done!", reports } }
        assert.strictEqual((yield* scene.propose(claim))._tag, "Refused")
        const before = yield* scene.report
        assert.notStrictEqual(before.standing, "success")
        assert.notInclude(before.say, "completed successfully")
        yield* scene.disarm
        assert.strictEqual((yield* scene.recover)?._tag, "Done")
        assert.isTrue(yield* isSuccess(scene))
        assert.strictEqual((yield* scene.propose(claim))._tag, "Done")
      })
    ))

  it("HS-12: a success on another flight is the wrong target: frozen, and an incident", () =>
    play((scene) =>
      Effect.gen(function* () {
        yield* scene.arm("book_flight", "wrong_target")
        assert.strictEqual((yield* scene.propose(booking))._tag, "Held")
        assert.include(yield* scene.evidence, "wrong_target_modified")
        const other = yield* scene.propose({ ...booking, occurrence: 2, occurrenceBy: "plan" })
        assert.strictEqual(other._tag, "Refused", "its target stays claimed")
        assert.strictEqual(yield* scene.world, 0)
        assert.isFalse(yield* isSuccess(scene))
      })
    ))

  it("HS-13: a cancellation that only claims to have cancelled has reversed nothing", () =>
    play((scene) =>
      Effect.gen(function* () {
        const { pnr } = outputOf(yield* scene.propose(booking))
        yield* scene.arm("cancel_flight", "lie")
        assert.notStrictEqual((yield* scene.propose(cancelling(String(pnr))))._tag, "Done")
        const told = yield* standings(scene)
        assert.deepStrictEqual(told, ["book_flight undoing", "cancel_flight review_required"])
        const { bookings = [] } = yield* scene.truth
        assert.deepStrictEqual(
          bookings.map(({ status }) => status),
          ["confirmed"]
        )
      })
    ))

  it("HS-13: a cancellation without a record of its own yet has reversed nothing, and is sent", () =>
    play(
      (scene) =>
        Effect.gen(function* () {
          yield* scene.arm("book_flight", "partial", 1)
          assert.strictEqual((yield* scene.propose(booking))._tag, "Failed")
          assert.deepStrictEqual(yield* standings(scene), ["book_flight compensated", "cancel_flight success"])
          const { bookings = [] } = yield* scene.truth
          assert.deepStrictEqual(
            bookings.map(({ status }) => status),
            ["cancelled"]
          )
        }),
      instead("cancel_flight", ({ readback }) => ({
        readback: async (context, params) => {
          const record = (await readback!(context, params)) as { readonly status?: string } | undefined
          return record?.status === "cancelled" ? (record as Json) : undefined
        }
      }))
    ))

  it("HS-14: an outcome that cannot be found out stays unknown, and blocks every act that could repeat it", () =>
    play((scene) =>
      Effect.gen(function* () {
        yield* scene.arm("book_flight", "lost_response", 1)
        yield* scene.arm("status", "unavailable")
        assert.strictEqual((yield* scene.propose(booking))._tag, "Held")
        assert.deepStrictEqual(yield* standings(scene), ["book_flight unknown"])
        const other = yield* scene.propose({ ...booking, occurrence: 2, occurrenceBy: "plan" })
        assert.strictEqual(other._tag, "Refused")
        yield* scene.disarm
        assert.strictEqual((yield* scene.recover)?._tag, "Done")
        assert.strictEqual(yield* scene.seats, 1)
      })
    ))
})

/** A trip that is booked and paid, as far as the contract wants it before it is confirmed. */
const paid = (scene: Scene.Scene) =>
  Effect.gen(function* () {
    assert.strictEqual((yield* scene.propose(booking))._tag, "Done")
    const charge = { card: "card-anna", amount: seat.price, currency: "CHF", reference: "trip" }
    assert.strictEqual((yield* scene.propose({ tool: "charge_card", params: charge }))._tag, "Done")
  })
