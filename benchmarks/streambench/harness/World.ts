/**
 * The world of a trial: answers, and things with versions that are sent, booked, paid, written, and taken back.
 *
 * Nothing is ever forgotten. A version that was taken back exactly is deleted, a corrected message and a cancelled
 * booking stay as what they were. A message that was read before its correction, and a fee for a cancellation, are
 * residue. A call with a known key changes nothing a second time.
 */
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import type { Json } from "@backstitch/trace/Canonical"
import type * as Scenario from "../scenario/Scenario.ts"
import * as Setting from "../scenario/Setting.ts"
import * as ScenarioPack from "./ScenarioPack.ts"

/** The terms that a thing carries; a term that it does not carry is empty. */
export type Terms = {
  readonly theme: string
  readonly total: number
  readonly people: string
}

/** One version of a thing. `at` counts the changes of the world. */
export interface Thing extends Terms {
  readonly item: string
  readonly version: number
  readonly kind: Scenario.Kind
  readonly at: number
  status: "cancelled" | "corrected" | "deleted" | "standing"
  /** Residue of its compensation: a fee, or 1 for a message that was read already. */
  residue: number
}

/** The arguments of every tool that makes a thing, by their words. */
type Params = { readonly item: string; readonly version: number } & { readonly [argument: string]: number | string }

/** The world of one trial. */
export class World {
  /** Every version of everything, in the order in which it came to be. */
  readonly things: Array<Thing> = []
  private readonly setting: Setting.Setting
  private readonly keys = new Map<string, Json>()
  private at = 0

  constructor(setting: Setting.Setting) {
    this.setting = setting
  }

  /** The tools of the world that a setting enables. */
  get tools(): ToolExecutor.Tools {
    const { tools } = this.setting
    return Object.fromEntries([
      ...tools.map(({ kind, name }) => [name, kind === "answer" ? this.answering() : this.making(kind)]),
      ...Object.values(ScenarioPack.reversals).map((name) => [name, this.takingBack()])
    ])
  }

  /** The latest version of an item that is not deleted. */
  latest(item: string): Thing | undefined {
    return this.things.findLast((each) => each.item === item && each.status !== "deleted")
  }

  private answering(): ToolExecutor.Tool {
    const { argument } = this.setting.scenario.words.theme
    return {
      execute: (params: { readonly item: string } & { readonly [argument: string]: string }) => {
        const { item } = params
        const step = this.setting.steps.find(({ id }) => id === item)
        if (step === undefined) throw new ToolExecutor.ToolRefused({ code: "no_such_item", item })
        if (step.priced !== true) return { full: 0, short: 0 }
        const theme = params[argument] ?? ""
        const price = (form: "full" | "short") => Setting.priceOf(this.setting, { form, item, theme })
        return { full: price("full"), short: price("short") }
      }
    }
  }

  private making(kind: Scenario.Kind): ToolExecutor.Tool {
    return {
      execute: (params: Params, { key = "" }) =>
        this.once(key, () => {
          const thing: Thing = {
            item: params.item,
            version: params.version,
            kind,
            ...this.termsOf(params),
            at: ++this.at,
            status: "standing",
            residue: 0
          }
          this.things.push(thing)
          return this.record(thing)
        }),
      status: async ({ key = "" }) => this.keys.get(key),
      readback: async (_, params: Params) => {
        const thing = this.find(params)
        return thing === undefined || thing.status === "deleted" ? undefined : this.record(thing)
      }
    }
  }

  private takingBack(): ToolExecutor.Tool {
    return {
      execute: (params: Params, { key = "" }) =>
        this.once(key, () => {
          const thing = this.find(params)
          if (thing?.status !== "standing") throw new ToolExecutor.ToolRefused({ code: "nothing_stands", ...params })
          this.at++
          thing.status = ended[thing.kind]
          thing.residue = this.residueOf(thing)
          return this.recordOfEnd(thing)
        }),
      status: async ({ key = "" }) => this.keys.get(key),
      readback: async (_, params: Params) => {
        const thing = this.find(params)
        return thing === undefined ? undefined : this.recordOfEnd(thing)
      }
    }
  }

  private once(key: string, act: () => Json): Json {
    const known = this.keys.get(key)
    if (known !== undefined) return known
    const answer = act()
    this.keys.set(key, answer)
    return answer
  }

  private find({ item, version }: Pick<Params, "item" | "version">): Thing | undefined {
    return this.things.findLast((each) => each.item === item && each.version === version)
  }

  /** A recipient has read every other message before its correction comes. A cancellation costs up to a fifth. */
  private residueOf({ item, kind, total, version }: Thing): number {
    const chance = this.setting.chance(`residue ${item} ${version}`)
    if (kind === "mail") return chance < 0.5 ? 1 : 0
    return kind === "booking" ? Math.max(1, Math.round(0.2 * chance * total)) : 0
  }

  private termsOf(params: Params): Terms {
    const { people, theme, total } = this.setting.scenario.words
    return {
      theme: String(params[theme.argument]),
      total: Number(params[total.argument]),
      people: String(params[people.argument])
    }
  }

  private record({ item, people, status, theme, total, version }: Thing) {
    const { words } = this.setting.scenario
    const named = { [words.theme.argument]: theme, [words.total.argument]: total, [words.people.argument]: people }
    return { item, version, status, ...named }
  }

  private recordOfEnd(thing: Thing): Json {
    const step = this.setting.steps.find(({ id }) => id === thing.item)
    const top = this.latest(thing.item) ?? { ...thing, version: 0, status: "deleted" }
    const { item: _, ...left } = this.record(top)
    const { item, status, version } = thing
    return { item, version, status, left, place: step === undefined ? "records" : ScenarioPack.tableOf(step) }
  }
}

const ended = {
  answer: "deleted",
  text: "deleted",
  mail: "corrected",
  booking: "cancelled",
  payment: "standing"
} as const satisfies Readonly<Record<Scenario.Kind, Thing["status"]>>
