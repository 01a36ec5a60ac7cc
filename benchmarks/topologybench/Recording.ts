/** Makes the trace of a generated run, transition by transition, with a seeded source of chance. */
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import type { Body, Transition } from "@backstitch/trace/Transition"

/** A source of numbers from 0 up to 1: the same seed gives the same numbers. */
export const chanceOf = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A run under way. */
export class Recording {
  readonly transitions: Array<Transition> = []
  private readonly chance: () => number
  private at = 1_700_000_000_000
  private calls = 0

  constructor(seed: number) {
    this.chance = chanceOf(seed)
  }

  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number {
    return least + Math.floor(this.chance() * (most - least + 1))
  }

  /** A number from `least` up to `most`. */
  real(least: number, most: number): number {
    return least + this.chance() * (most - least)
  }

  happens(probability: number): boolean {
    return this.chance() < probability
  }

  pick<A>(values: ReadonlyArray<A>): A {
    return values[this.between(0, values.length - 1)]!
  }

  wait(millis: number): void {
    this.at += Math.round(millis)
  }

  call(
    tool: string,
    params: JsonObject,
    answer: { readonly ok?: boolean; readonly output: Json },
    agent?: string
  ): void {
    const action = { id: `a${++this.calls}`, tool }
    this.add({ type: "action.request", author: "agent", action: { ...action, params } }, agent)
    this.wait(this.real(200, 3000))
    const status = answer.ok === false ? "error" : "ok"
    this.add({ type: "action.result", author: "kernel", action, result: { status, output: answer.output } })
  }

  note(memo: JsonObject, agent: string): void {
    this.add({ type: "artifact.write", author: "agent", data: { topology: memo } }, agent)
  }

  finish(agent?: string): void {
    this.add({ type: "goal.complete", author: "agent" }, agent)
  }

  private add(body: Body, agent?: string): void {
    const whole = agent === undefined ? body : { ...body, agent }
    const tick = this.transitions.length + 1
    this.transitions.push({ tick, body: whole, stamp: { asOf: this.at }, envelope: { ts: this.at } })
  }
}

const vocabulary = (
  "river bank hotel price night flight cabin window market report figure chapter method result table error query " +
  "stage clean merge branch commit deploy server client token budget travel summer winter spring autumn garden " +
  "bridge street office school doctor engine signal memory folder update review letter number colour weight"
).split(" ")

/** A text of a number of words. */
export const textOf = (recording: Recording, words: number): string =>
  Array.from({ length: words }, () => `${recording.pick(vocabulary)}${recording.between(0, 99)}`).join(" ")

/** The text with a share of its words replaced. */
export const revised = (recording: Recording, text: string, share: number): string => {
  const words = text.split(" ")
  const places = words.map((_, index) => index).sort(() => recording.real(-1, 1))
  for (const place of places.slice(0, Math.round(share * words.length))) words[place] = textOf(recording, 1)
  return words.join(" ")
}
