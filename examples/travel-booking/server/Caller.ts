/**
 * A caller of the server, who begins a run, follows it to its end, and asks about it meanwhile.
 *
 * It goes on through every outage as a program of a stranger would: it repeats what was not answered, and reads on
 * behind the last event that it has seen.
 */
import { setTimeout as sleep } from "node:timers/promises"
import * as Line from "../cluster/Line.ts"

/** A commit that the server sent to a reader, so that the reader may rely on it. */
export interface Seen {
  readonly tenant: string
  readonly tick: number
  readonly link: string
}

/** The experience of a caller: what was acknowledged to it, and everything that may not be. */
export interface Experience {
  readonly seen: ReadonlyArray<Seen>
  /** The texts of keys whose making was acknowledged. */
  readonly keys: ReadonlyArray<string>
  readonly problems: ReadonlyArray<string>
  /** Answers that were lost or put off, by their status; 0 for a connection that broke. */
  readonly putOff: ReadonlyMap<number, number>
  /** Streams that were opened again. */
  readonly reopened: number
}

/** Requests and streams are tried again after this time. */
const againMillis = 100

/** A caller that is not done by then gives up. */
const givesUpMillis = 120_000

/** One caller of one tenant. */
export class Caller implements Experience {
  readonly seen: Array<Seen> = []
  readonly keys: Array<string> = []
  readonly problems: Array<string> = []
  readonly putOff = new Map<number, number>()
  reopened = 0
  readonly #address: string
  readonly #tenant: string
  readonly #key: string
  readonly #until = performance.now() + givesUpMillis
  #isDone = false

  constructor(address: string, tenant: string, key: string) {
    this.#address = address
    this.#tenant = tenant
    this.#key = key
  }

  /** Begins the run of the tenant, and answers once it was followed to its end. */
  async work(): Promise<void> {
    try {
      await this.#begin()
      await Promise.all([this.#follow(), this.#look()])
    } catch (cause) {
      this.problems.push(`${this.#tenant}: ${cause instanceof Error ? cause.message : String(cause)}`)
    }
  }

  /** Asks until there is an answer, and answers its status and document. Only a server that is away may put it off. */
  async #ask(path: string, json?: object): Promise<{ readonly status: number; readonly body: Answer }> {
    while (performance.now() < this.#until) {
      const { body, status } = await this.#once(path, json)
      if (status !== 0 && status !== 503) return { status, body }
      this.putOff.set(status, (this.putOff.get(status) ?? 0) + 1)
      await sleep(againMillis)
    }
    throw new Error(`${path} was never answered`)
  }

  async #once(path: string, json?: object): Promise<{ readonly status: number; readonly body: Answer }> {
    const sent = json && { method: "POST", body: JSON.stringify(json) }
    const headers = { authorization: `Bearer ${this.#key}`, "content-type": "application/json" }
    try {
      const response = await fetch(`${this.#address}${path}`, { ...sent, headers, signal: AbortSignal.timeout(20_000) })
      return { status: response.status, body: (await response.json()) as Answer }
    } catch {
      return { status: 0, body: {} }
    }
  }

  /** A beginning whose answer was lost may have been durable: then the agent is let go on. */
  async #begin(): Promise<void> {
    const begun = await this.#ask("/v1/runs", { run: Line.run, agent: "travel" })
    if (begun.status === 202) return
    if (begun.body.tag !== "RunExists") throw new Error(`the run was not begun: ${JSON.stringify(begun)}`)
    const resumed = await this.#ask(`/v1/runs/${Line.run}/resume`, { agent: "travel" })
    if (resumed.status !== 202) throw new Error(`the run was not resumed: ${JSON.stringify(resumed)}`)
  }

  /** Makes keys and looks at the run, until its end was seen. */
  async #look(): Promise<void> {
    for (let turn = 0; !this.#isDone; turn++) {
      const made = turn % 4 === 0
      const path = made ? "/v1/keys" : `/v1/runs/${Line.run}`
      const { body, status } = await this.#ask(path, made ? { name: `reader ${turn}`, role: "viewer" } : undefined)
      if (made && status === 201 && body.text !== undefined) this.keys.push(body.text)
      else if (made || status !== 200) this.problems.push(`${path} of ${this.#tenant}: ${JSON.stringify(body)}`)
      await sleep(againMillis)
    }
  }

  async #follow(): Promise<void> {
    try {
      for (;;) {
        if (performance.now() >= this.#until) throw new Error("the stream did not come to the end of the run")
        if (await this.#read().catch(() => false)) return
        this.reopened++
        await sleep(againMillis)
      }
    } finally {
      this.#isDone = true
    }
  }

  /** Reads one stream until it ends; answers whether the run has. */
  async #read(): Promise<boolean> {
    const last = this.seen.at(-1)?.tick
    const place = last === undefined ? "?from=1" : ""
    const response = await fetch(`${this.#address}/v1/runs/${Line.run}/events${place}`, {
      headers: {
        authorization: `Bearer ${this.#key}`,
        ...(last === undefined ? {} : { "last-event-id": String(last) })
      },
      signal: AbortSignal.timeout(Math.max(1, Math.ceil(this.#until - performance.now())))
    })
    if (response.status !== 200 || response.body === null) return false
    let text = ""
    for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
      const events = (text + piece).split("\n\n")
      text = events.pop() ?? ""
      for (const event of events) if (this.#take(event)) return true
    }
    return false
  }

  /** Takes an event, which has to be the next one; answers whether it is the last. */
  #take(event: string): boolean {
    const [, data] = /^event: transition\ndata: (.+)$/m.exec(event) ?? []
    if (data === undefined) return false
    const { link, tick, transition_type: type }: Told = JSON.parse(data)
    const next = (this.seen.at(-1)?.tick ?? 0) + 1
    if (tick !== next) this.problems.push(`tick ${tick} of ${this.#tenant} came where tick ${next} has to follow`)
    this.seen.push({ tenant: this.#tenant, tick, link })
    return type === "goal.complete"
  }
}

interface Answer {
  readonly tag?: string
  readonly text?: string
}

interface Told {
  readonly link: string
  readonly tick: number
  readonly transition_type: string
}
