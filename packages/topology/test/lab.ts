/** Traces by hand and at random: calls, memos and messages of agents, one after another. */

import * as ToolContract from "@backstitch/contracts/ToolContract"
import type * as Topology from "@backstitch/contracts/Topology"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import type { Body, Transition } from "@backstitch/trace/Transition"
import * as Schema from "effect/Schema"
import * as CrackWatch from "../src/CrackWatch.ts"
import * as Diagnosis from "../src/Diagnosis.ts"
import type * as Crack from "../src/event/Crack.ts"
import type * as Memo from "../src/event/Memo.ts"
import * as TopologyEvent from "../src/event/TopologyEvent.ts"

interface CallFacts {
  readonly agent?: string
  readonly class?: string
  readonly ok?: boolean
}

/** A trace under way. */
export class Tape {
  readonly transitions: Array<Transition> = []
  private at = 0
  private calls = 0

  add(body: Omit<Body, "author"> & Partial<Pick<Body, "author">>): this {
    const stamp = { asOf: this.at }
    const whole = { author: "agent", ...body } as Body
    this.transitions.push({ tick: this.transitions.length + 1, body: whole, stamp, envelope: { ts: this.at } })
    return this
  }

  wait(millis: number): this {
    this.at += millis
    return this
  }

  /** A call with its answer; without one if the answer is undefined. */
  call(tool: string, params: Json, answer?: Json, more: CallFacts = {}): this {
    const { agent, ok = true } = more
    const action = { id: `a${++this.calls}`, tool, ...(more.class === undefined ? {} : { class: more.class }) }
    const by = agent === undefined ? {} : { agent }
    this.add({ type: "action.request", action: { ...action, params }, ...by })
    if (answer === undefined) return this
    const result = { status: ok ? "ok" : "error", output: answer } as const
    return this.add({ type: "action.result", author: "kernel", action, result })
  }

  note(memo: JsonObject | Memo.Memo, agent = "boss"): this {
    return this.add({ type: "artifact.write", agent, data: { topology: memo as JsonObject } })
  }

  say(agent: string, content: string, to?: string): this {
    return this.add({ type: "message.sent", agent, data: { content, ...(to === undefined ? {} : { to }) } })
  }

  finish(): this {
    return this.add({ type: "goal.complete" })
  }
}

export const declare = (kind: Topology.TopologyKind, limits: Partial<Topology.Topology> = {}): Topology.Topology => ({
  kind,
  agents: {},
  order: [],
  ...limits
})

/** The watch over a trace, of all topologies. */
export const watched = ({ transitions }: Tape, declared: Topology.Topology): CrackWatch.CrackWatch => {
  let watch = CrackWatch.start()
  for (const event of transitions.flatMap(TopologyEvent.of)) watch = CrackWatch.step(watch, event, declared)
  return watch
}

/** The state of one topology after a trace. */
export const stateOf = <S>(tape: Tape, declared: Topology.Topology): S =>
  watched(tape, declared).states[declared.kind] as S

export const cracksOf = (tape: Tape, declared: Topology.Topology): ReadonlyArray<Crack.Crack> =>
  watched(tape, declared).cracks

export const diagnosed = (tape: Tape, known: Partial<Diagnosis.TraceFacts> = {}): Diagnosis.Diagnosis =>
  Diagnosis.of(tape.transitions, { contractOf: ToolContract.unknown, ...known })

/** Some are names of properties that every object has. */
const Few = Schema.Literals(["t1", "t2", "__proto__", "constructor"])
const Agent = Schema.Literals(["boss", "ann", "toString"])

/** One happening of a random trace. Ids collide. */
export const Happening = Schema.Union([
  Schema.Struct({ call: Few, answer: Schema.Literals(["x", "y", "not found"]), ok: Schema.Boolean, agent: Agent }),
  Schema.Struct({ dispatch: Few, worker: Agent }),
  Schema.Struct({ report: Few, result: Schema.Literals(["done", "brief of the task"]) }),
  Schema.Struct({ collect: Few }),
  Schema.Struct({ gate: Few, green: Schema.Boolean, whole: Schema.Boolean }),
  Schema.Struct({ plan: Few, step: Schema.Literals([1, 2]), status: Schema.Literals(["begun", "done", "failed"]) }),
  Schema.Struct({ draft: Schema.Literals(["one two three", "four five six", "one two four"]) }),
  Schema.Struct({ waiting: Schema.Literals([1, 3, 5, 7, 9]), idle: Schema.Literals([0, 2]) }),
  Schema.Struct({ wait: Schema.Literals([10, 2000]) }),
  Schema.Struct({ end: Schema.Boolean })
])

/** A random trace. */
export const Happenings = Schema.Array(Happening)

export const tapeOf = (happenings: typeof Happenings.Type): Tape => {
  const tape = new Tape()
  let round = 0
  for (const each of happenings) {
    if ("call" in each)
      tape.call(each.call === "t1" ? "look" : "constructor", { id: each.call }, each.answer, {
        agent: each.agent,
        ok: each.ok
      })
    else if ("dispatch" in each) {
      tape.note({ memo: "dispatch", task: each.dispatch, worker: each.worker, brief: "brief of the task" })
    } else if ("report" in each) tape.note({ memo: "report", task: each.report, result: each.result })
    else if ("collect" in each) tape.note({ memo: "collect", task: each.collect })
    else if ("gate" in each) tape.note({ memo: "gate", stage: each.gate, green: each.green, whole: each.whole })
    else if ("plan" in each) {
      tape.note({ memo: "plan", steps: [each.plan, "x"] }).note({ memo: "step", step: each.step, status: each.status })
    } else if ("draft" in each) tape.note({ memo: "round", round: ++round, draft: each.draft })
    else if ("waiting" in each) tape.note({ memo: "load", waiting: each.waiting, idle: each.idle })
    else if ("wait" in each) tape.wait(each.wait)
    else if (each.end) tape.finish()
  }
  return tape
}

/** Every limit at once, so that each detector is on. */
export const strict: Partial<Topology.Topology> = {
  stepsMax: 10,
  silenceMillis: 1000,
  planMillis: 1000,
  roundsMax: 3,
  queueMax: 4
}
