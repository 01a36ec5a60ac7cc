/** The driver's side of a cluster: its nodes as processes, and what they have acknowledged. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { freePort } from "../../../tooling/src/freePort.ts"
import type * as Line from "./Line.ts"

/** A commit that a node acknowledged, and the time at which the driver read of it, in milliseconds. */
export interface Acknowledged {
  readonly node: Node
  readonly tenant: string
  readonly tick: number
  readonly link: string
  readonly at: number
}

const entry = fileURLToPath(new URL("./nodeProcess.ts", import.meta.url))

/** One node. */
export class Node {
  readonly name: string
  readonly ready: Promise<void>
  readonly #child: ChildProcess
  readonly #starting = new Map<string, (problem: string | undefined) => void>()
  #isGone = false

  constructor(
    name: string,
    settings: Line.Settings,
    heard: (said: Omit<Acknowledged, "at" | "node">, node: Node) => void
  ) {
    this.name = name
    this.#child = spawn(process.execPath, [entry, JSON.stringify(settings)], { stdio: ["pipe", "pipe", "inherit"] })
    const gone = once(this.#child, "close").then(() => {
      this.#isGone = true
      for (const answer of this.#starting.values()) answer("the node is gone")
      this.#starting.clear()
    })
    this.#child.stdin?.on("error", () => undefined)
    this.ready = new Promise((resolve, reject) => {
      void gone.then(() => reject(new Error(`node ${name} has ended`)))
      createInterface({ input: this.#child.stdout! }).on("line", (text) => {
        const said: Line.Said = JSON.parse(text)
        if ("ready" in said) resolve()
        else if ("tick" in said) heard(said, this)
        else {
          this.#starting.get(said.started)?.(said.problem)
          this.#starting.delete(said.started)
        }
      })
    })
    this.ready.catch(() => undefined)
  }

  /** Begins the run of a tenant; answers the problem if there is one. */
  start(tenant: string): Promise<string | undefined> {
    if (this.#isGone) return Promise.resolve("the node is gone")
    return new Promise((resolve) => {
      this.#starting.set(tenant, resolve)
      this.#child.stdin?.write(`${JSON.stringify({ start: tenant } satisfies Line.Asked)}\n`)
    })
  }

  /** Sends a signal, such as SIGKILL, SIGSTOP or SIGCONT. */
  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  /** Waits until the process has ended. */
  async ended(): Promise<void> {
    if (!this.#isGone && this.#child.exitCode === null && this.#child.signalCode === null)
      await once(this.#child, "close")
  }

  /** Asks the node to give its runs up and to end. */
  async drain(): Promise<void> {
    this.#child.stdin?.write(`${JSON.stringify({ drain: true } satisfies Line.Asked)}\n`)
    await this.ended()
  }
}

/** The nodes of a cluster. */
export class Fleet {
  readonly acknowledged: Array<Acknowledged> = []
  readonly nodes = new Set<Node>()
  readonly #settings: Omit<Line.Settings, "port">
  #count = 0

  constructor(settings: Omit<Line.Settings, "port">) {
    this.#settings = settings
  }

  /** Adds a node, and answers once it is part of the cluster. */
  async add(): Promise<Node> {
    const settings = { ...this.#settings, port: await freePort() }
    const node = new Node(`node ${++this.#count}`, settings, (said, node) => {
      this.acknowledged.push({ ...said, node, at: performance.now() })
    })
    this.nodes.add(node)
    await node.ready
    return node
  }

  /** Takes a node at random out of the living ones. */
  any(): Node {
    const all = [...this.nodes]
    return all[Math.floor(Math.random() * all.length)]!
  }

  /** Kills a node at once. */
  async kill(node: Node): Promise<void> {
    this.nodes.delete(node)
    node.signal("SIGKILL")
    await node.ended()
  }

  /** Ends all nodes, whatever they are doing. */
  async close(): Promise<void> {
    await Promise.all([...this.nodes].map((node) => this.kill(node)))
  }
}
