import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Limits from "../src/Limits.ts"
import * as QuestionPool from "../src/questions/QuestionPool.ts"

const [acme, beta] = ["acme", "beta"].map((name) => Run.make("any", name).tenant) as [Run.Tenant, Run.Tenant]

/** Workers that answer when the test says so. */
class Hall {
  readonly asked: Array<string> = []
  readonly answers = new Map<string, () => void>()
  readonly losses: Array<() => void> = []
  started = 0
  ended = 0
  isDeaf = false

  readonly start = (lost: () => void): QuestionPool.Worker<string, string> => {
    this.started++
    this.losses.push(lost)
    let giveUp: () => void = () => {}
    return {
      ask: (question, answered) => {
        this.asked.push(question)
        this.answers.set(question, () => answered(`${question}!`))
        giveUp = () => answered("given up")
      },
      giveUp: () => {
        if (!this.isDeaf) giveUp()
      },
      end: () => {
        this.ended++
      }
    }
  }
}

const pool = (hall: Hall, workersMax: number) =>
  QuestionPool.make<string, string>({ workersMax, start: hall.start, giveUpMillis: 20 })

const asking = (self: QuestionPool.QuestionPool<string, string>, tenant: Run.Tenant, ...questions: Array<string>) =>
  Effect.forEach(questions, (question) => Effect.forkChild(self.ask(tenant, question), { startImmediately: true }))

describe("QuestionPool", () => {
  it.live("takes the tenants in turn, and a worker has one question at a time", () =>
    Effect.gen(function* () {
      const hall = new Hall()
      const self = yield* pool(hall, 1)
      const mine = yield* asking(self, acme, "a1", "a2", "a3")
      const theirs = yield* asking(self, beta, "b1", "b2")
      for (const next of ["a1", "a2", "b1", "a3", "b2"]) {
        assert.strictEqual(hall.asked.at(-1), next)
        hall.answers.get(next)!()
      }
      assert.deepStrictEqual(yield* Fiber.joinAll([...mine, ...theirs]), ["a1!", "a2!", "a3!", "b1!", "b2!"])
      assert.strictEqual(hall.started, 1)
    })
  )

  it.live("never gives one tenant all workers, and starts no more than are needed", () =>
    Effect.gen(function* () {
      const hall = new Hall()
      const self = yield* pool(hall, 3)
      yield* asking(self, acme, "a1", "a2", "a3", "a4")
      assert.deepStrictEqual([hall.asked, hall.started], [["a1", "a2"], 2])
      yield* asking(self, beta, "b1")
      assert.deepStrictEqual([hall.asked, hall.started], [["a1", "a2", "b1"], 3])
    })
  )

  it.live("gives a question up when its caller has gone, and ends a worker that does not notice", () =>
    Effect.gen(function* () {
      const hall = new Hall()
      const self = yield* pool(hall, 1)
      const [working, waiting, last] = yield* asking(self, acme, "a1", "a2", "a3")
      yield* Fiber.interrupt(waiting!)
      yield* Fiber.interrupt(working!)
      assert.deepStrictEqual([hall.asked, hall.ended], [["a1", "a3"], 0])
      hall.isDeaf = true
      const [next] = yield* asking(self, acme, "a4")
      yield* Fiber.interrupt(last!)
      yield* Effect.repeat(Effect.sleep(5), { until: () => hall.asked.includes("a4"), times: 2000 })
      assert.deepStrictEqual([hall.asked, hall.started, hall.ended], [["a1", "a3", "a4"], 2, 1])
      hall.answers.get("a4")!()
      assert.strictEqual(yield* Fiber.join(next!), "a4!")
    })
  )

  it.live("says that a worker was lost, and goes on with another one", () =>
    Effect.gen(function* () {
      const hall = new Hall()
      const self = yield* pool(hall, 1)
      const [lost, next] = yield* asking(self, acme, "a1", "a2")
      hall.losses[0]!()
      assert.deepInclude(yield* Effect.flip(Fiber.join(lost!)), { tag: "WorkerLost", status: 503 })
      hall.answers.get("a2")!()
      assert.strictEqual(yield* Fiber.join(next!), "a2!")
    })
  )

  it.live("refuses more questions of a tenant than may wait, and takes those of another", () =>
    Effect.gen(function* () {
      const hall = new Hall()
      const self = yield* pool(hall, 1)
      const count = Limits.refusing.waitingQuestionsMax
      yield* asking(self, acme, ...Array.from({ length: count + 1 }, (_, index) => `a${index}`))
      assert.deepInclude(yield* Effect.flip(self.ask(acme, "more")), { tag: "QuestionsTooMany", status: 429 })
      yield* asking(self, beta, "b1")
      hall.answers.get("a0")!()
      hall.answers.get("a1")!()
      assert.strictEqual(hall.asked.at(-1), "b1")
    })
  )
})
