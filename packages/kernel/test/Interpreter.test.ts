/** The interpreter of the README against the laws: a world that loses answers, two runs, and a process that dies. */
import { readFileSync } from "node:fs"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as RecordedRequest from "@backstitch/ledger/RecordedRequest"
import * as Fold from "@backstitch/reducer/Fold"
import * as PackRules from "@backstitch/reducer/PackRules"
import * as State from "@backstitch/reducer/State"
import * as Claims from "@backstitch/trace/Claims"
import * as HashChain from "@backstitch/trace/HashChain"
import * as Run from "@backstitch/trace/Run"
import type { Draft, Transition } from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Commit from "../src/decision/Commit.ts"
import type { Evidence } from "../src/decision/Evidence.ts"
import * as Interpreter from "../src/decision/Interpreter.ts"
import type { Outcome } from "../src/decision/Outcome.ts"
import type * as StoreQuery from "../src/decision/StoreQuery.ts"
import * as Kernel from "../src/Kernel.ts"
import { carry, resume, type Surroundings } from "./interpreter.ts"
import { bookOf, definition } from "./lab.ts"

/** A seat that is assigned in a transaction of its store. */
const assign = {
  class: "low_risk_internal",
  input: { seat: "string", holder: "string" },
  target: "'seat/' + args.seat",
  identity: { scope: "goal", fields: [{ seat: "code" }, { holder: "name" }] },
  times: { sendWithin: "3s", settleAfter: "1s" },
  transaction: "local",
  readback: { source: "database", expect: ["actual.holder == args.holder"], within: "2s" },
  undo: "X"
} as const

const pack = Result.getOrThrow(TaskPack.make({ ...definition, tools: { ...definition.tools, assign } }))
const rules = PackRules.of(pack)
const fold = Fold.make({ parts: Kernel.standard.parts, sources: { rules: () => rules } })

/** The process is gone: whatever it was about to do, it does not. */
class Died extends Error {}

interface Stored {
  readonly position: Commit.Position
  readonly transitions: ReadonlyArray<Transition>
}

/** A store of runs with the index of their names, and the airline that they book with: both outlive a process. */
class Shared {
  readonly runs = new Map<string, Stored>()
  readonly held = new Map<string, Claims.HeldClaim>()
  /** Bookings by key, in the order in which they took effect. */
  readonly bookings = new Map<string, { readonly flight: string; readonly price: number }>()
  readonly effects: Array<string> = []
  /** Seats that a process holds open in a transaction, by run, and those that were committed. */
  readonly open = new Map<string, string>()
  readonly seats = new Map<string, string>()
  now = 1_000_000

  at(run: Run.Run): Stored {
    const empty = { position: { head: HashChain.genesis(run), state: State.empty, asOf: 0 }, transitions: [] }
    return this.runs.get(run.id) ?? empty
  }

  append(run: Run.Run, at: Commit.Position, drafts: ReadonlyArray<Draft>): Interpreter.Happened | undefined {
    const stored = this.at(run)
    if (stored.position.head.link !== at.head.link) return { _tag: "Overtaken" }
    const { claims, position, transitions } = Commit.assemble(fold, { run, at, drafts })
    const taken = claims.flatMap(({ take, tick }) => take.map((claim) => ({ ...claim, run, tick })))
    for (const claim of taken) {
      const held = this.held.get(`${claim.namespace} ${claim.name}`)
      if (!Claims.mayTake(run, claim, held)) return { _tag: "Refused", refusal: Claims.refuse(held!) }
    }
    for (const claim of taken) {
      const name = `${claim.namespace} ${claim.name}`
      if (!this.held.has(name)) this.held.set(name, claim)
    }
    for (const { release } of claims)
      for (const { name, namespace } of release) this.held.delete(`${namespace} ${name}`)
    this.runs.set(run.id, { position, transitions: [...stored.transitions, ...transitions] })
    return undefined
  }
}

/** One process of a run. It dies at its n-th step, and an answer of the world may be lost. */
const processOf = (
  shared: Shared,
  run: Run.Run,
  {
    diesAt = Number.POSITIVE_INFINITY,
    loses = () => false
  }: { diesAt?: number; loses?: (asked: number) => boolean } = {}
): { readonly around: Surroundings; readonly steps: () => number } => {
  let steps = 0
  let asked = 0
  const step = <A>(make: () => A): A => {
    steps++
    if (steps === diesAt) throw new Died("before")
    const made = make()
    steps++
    if (steps === diesAt) throw new Died("after")
    return made
  }
  const look = (seen: StoreQuery.StoreQuery): StoreQuery.QueryAnswer => {
    switch (seen._tag) {
      case "Trace": {
        const { from, to = Number.POSITIVE_INFINITY } = seen
        const { transitions } = shared.at(Run.make(seen.run))
        return transitions.filter(({ tick }) => from <= tick && tick <= to)
      }
      case "State":
        return shared
          .at(run)
          .transitions.filter(({ tick }) => tick <= seen.tick)
          .reduce<State.State>((state, each) => fold.evolve(state, each), State.empty)
      case "Shared":
      case "Consumers":
        return []
      case "Taken":
        return shared.held.has(`${seen.namespace} ${seen.name}`)
      case "Seeded":
        return false
    }
  }
  /** A seat in a transaction: it is held open by this process, and seen by nobody else before it is concluded. */
  const assigned = ({ _tag }: Exclude<Interpreter.WorldQuestion, { readonly _tag: "ReadOriginal" }>): Evidence => {
    if (_tag === "Open") shared.open.set(run.id, "Ada")
    const held = shared.open.get(run.id)
    if (_tag === "Conclude" && held !== undefined) {
      shared.open.delete(run.id)
      shared.seats.set("4A", held)
    }
    const holder = _tag === "Open" || _tag === "ReadInside" ? held : (shared.seats.get("4A") ?? "")
    return holder === undefined ? { _tag: "NotFound" } : { _tag: "Ok", output: { holder, seat: "4A" } }
  }
  const world = (question: Exclude<Interpreter.WorldQuestion, { readonly _tag: "ReadOriginal" }>): Evidence => {
    const { key = "", params } = question.request
    if (question.request.tool === "assign") return assigned(question)
    const { flight, price } = params as { readonly flight: string; readonly price: number }
    if (question._tag === "Call" && !shared.bookings.has(key)) {
      shared.bookings.set(key, { flight, price })
      shared.effects.push(flight)
    }
    const found = shared.bookings.get(key)
    return found === undefined ? { _tag: "NotFound" } : { _tag: "Ok", output: { id: found.flight, price: found.price } }
  }
  const around: Surroundings = {
    position: () => shared.at(run).position,
    terms: ({ head }) => ({ run, lineage: run.id, now: shared.now, tick: head.tick + 1, secret: "secret", pack }),
    append: (at, drafts) => step(() => shared.append(run, at, drafts)),
    look,
    abandon: () => {
      shared.open.delete(run.id)
    },
    ask: (question) => {
      const askedAt = shared.now
      if (question._tag === "ReadOriginal") {
        const own = RecordedRequest.of(shared.at(run).transitions, question.original.action)!
        return { _tag: "Told", evidence: { _tag: "Unknown", reason: "no line" }, own, askedAt }
      }
      if (question._tag === "Call" && Interpreter.isLate(question.request, askedAt)) return { _tag: "Unsent" }
      const told = step(() => world(question))
      asked++
      const evidence: Evidence = loses(asked) ? { _tag: "Unknown", reason: "the line was cut" } : told
      return { _tag: "Told", evidence, askedAt }
    },
    sleepUntil: (millis) => {
      shared.now = Math.max(shared.now, millis)
    }
  }
  return { around, steps: () => steps }
}

const start = {
  _tag: "Start" as const,
  goal: "trip",
  text: "a trip",
  clauses: {},
  pack: pack.digest,
  initial: Fold.initialDigest(rules.initial),
  fold: fold.version
}

/** Begins or resumes a run and books: as often as it takes, for a process that dies is followed by another. */
const books = (shared: Shared, run: Run.Run, options?: Parameters<typeof processOf>[2]): Outcome => {
  const { around } = processOf(shared, run, options)
  carry(around, start)
  resume(around)
  return carry(around, { _tag: "Propose", proposal: bookOf("LX1") })
}

/**
 * Checks that a committed transition never goes away, and that every mutation that took effect was durable before,
 * under its key.
 */
const lawful = (shared: Shared, run: Run.Run, before: ReadonlyArray<Transition>): void => {
  const { transitions } = shared.at(run)
  assert.deepStrictEqual(transitions.slice(0, before.length), before)
  const keys = new Set([...shared.runs.values()].flatMap((each) => each.transitions.map(({ stamp }) => stamp.key)))
  for (const key of shared.bookings.keys()) assert.isTrue(keys.has(key))
}

describe("the interpreter of the README", () => {
  it("is the one that is tried here", () => {
    const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8")
    assert.include(readme, readFileSync(new URL("./interpreter.ts", import.meta.url), "utf8"))
  })

  it("loses nothing and books once, wherever its process dies and whichever answer is lost (L5, L14)", () => {
    const run = Run.make("trip")
    const lost = [() => false, (asked: number) => asked === 1, (asked: number) => asked <= 2]
    for (const loses of lost) {
      let isOver = false
      for (let diesAt = 1; !isOver; diesAt++) {
        const shared = new Shared()
        let outcome: Outcome | undefined
        try {
          outcome = books(shared, run, { diesAt, loses })
          isOver = true
        } catch (error) {
          assert.instanceOf(error, Died)
        }
        const before = shared.at(run).transitions
        lawful(shared, run, before)
        // Nobody answered, or the process died: the next one has better luck.
        if (outcome?._tag !== "Done") outcome = books(shared, run)
        assert.strictEqual(outcome._tag, "Done", `${diesAt}: ${JSON.stringify(outcome)}`)
        assert.deepStrictEqual(shared.effects, ["LX1"])
        assert.strictEqual(shared.at(run).position.state.world["spent"], 80)
        lawful(shared, run, before)
      }
    }
  })

  it("takes over the act of another run with the same goal, and sends nothing (L1, L6)", () => {
    const shared = new Shared()
    assert.strictEqual(books(shared, Run.make("first"))._tag, "Done")
    assert.strictEqual(books(shared, Run.make("second"))._tag, "Done")
    assert.deepStrictEqual(shared.effects, ["LX1"])
    assert.strictEqual(shared.at(Run.make("second")).position.state.world["spent"], 80)
  })

  it("starts nothing on a target that another run holds until that is settled (L7)", () => {
    const shared = new Shared()
    const first = Run.make("first")
    const second = Run.make("second")
    // Steps of the first: its beginning, its start, its call. Then it is gone, and nobody knows what came of it.
    assert.throws(() => books(shared, first, { diesAt: 5 }), Died)
    assert.lengthOf(Object.keys(OpenActions.of(shared.at(first).position.state)), 1)
    const other = processOf(shared, second).around
    carry(other, start)
    const proposal = bookOf("LX1", 70, { traveller: "Bob" })
    const refused = carry(other, { _tag: "Propose", proposal })
    assert.deepInclude(refused, { _tag: "Refused" })
    assert.notInclude(
      shared.at(second).transitions.map(({ body }) => body.type),
      "action.started"
    )
    resume(processOf(shared, first).around)
    assert.deepInclude(carry(other, { _tag: "Propose", proposal }), { _tag: "Done" })
    assert.deepStrictEqual(shared.effects, ["LX1", "LX1"])
  })

  it("decides again if another writer was faster, and both know it (L1)", () => {
    const shared = new Shared()
    const run = Run.make("trip")
    const { around } = processOf(shared, run)
    carry(around, start)
    let isFirst = true
    const slow: Surroundings = {
      ...around,
      append: (at, drafts) => {
        if (!isFirst) return around.append(at, drafts)
        isFirst = false
        carry(around, { _tag: "Propose", proposal: { type: "observation.add", data: { text: "seen" } } })
        return around.append(at, drafts)
      }
    }
    assert.strictEqual(carry(slow, { _tag: "Propose", proposal: bookOf("LX1") })._tag, "Done")
    const { transitions } = shared.at(run)
    assert.deepStrictEqual(
      transitions.map(({ tick }) => tick),
      transitions.map((_, index) => index + 1)
    )
    assert.deepStrictEqual(shared.effects, ["LX1"])
  })
})

describe("the interpreter of the README and a local transaction", () => {
  it("commits a change that was verified inside, once, wherever its process dies (L14)", () => {
    const run = Run.make("trip")
    for (let diesAt = 1, isOver = false; !isOver; diesAt++) {
      const shared = new Shared()
      const { around } = processOf(shared, run, { diesAt })
      try {
        assert.strictEqual(assigns(around)._tag, "Done")
        isOver = true
      } catch (error) {
        assert.instanceOf(error, Died)
        // What a dead process holds open is gone with it.
        shared.open.clear()
        const next = processOf(shared, run).around
        carry(next, start)
        resume(next)
      }
      assert.deepStrictEqual([...shared.open.keys()], [])
      assert.deepStrictEqual(Object.keys(OpenActions.of(shared.at(run).position.state)), [])
    }
  })

  it("is left with nothing open if another process has settled the action meanwhile (L1)", () => {
    const run = Run.make("trip")
    const shared = new Shared()
    const { around } = processOf(shared, run)
    const slow: Surroundings = {
      ...around,
      ask: (question) => {
        const answer = around.ask(question)
        // Another process resumes the run, finds nothing on record, and settles it.
        if (question._tag === "Open") {
          const other = processOf(shared, run).around
          resume({ ...other, abandon: () => undefined })
        }
        return answer
      }
    }
    assigns(slow)
    assert.deepStrictEqual([[...shared.open.keys()], [...shared.seats.keys()]], [[], []])
    assert.deepStrictEqual(Object.keys(OpenActions.of(shared.at(run).position.state)), [])
  })
})

/** Begins the run, and assigns a seat. */
const assigns = (around: Surroundings): Outcome => {
  carry(around, start)
  return carry(around, { _tag: "Propose", proposal: { tool: "assign", params: { seat: "4A", holder: "Ada" } } })
}

describe("changes since a decision", () => {
  it("is a defect if it cannot have happened after it", () => {
    const decided = Kernel.decide(
      { run: Run.make("trip"), lineage: "trip", now: 1, tick: 1, secret: "", pack },
      State.empty,
      { _tag: "Complete" }
    )
    assert.throws(() => Interpreter.next(decided, { _tag: "Unsent" }), "after End nothing is Unsent")
  })
})
