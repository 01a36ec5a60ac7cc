/** A client of the server, which keeps its connection and reads streams of events with little work of its own. */
import * as Http from "node:http"

/** An answer: its status, and its document. */
export interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

/** An event of a stream: its id, and the text of its data. */
export interface Event {
  readonly id: number
  readonly data: string
}

/** A stream of events that is open. */
export interface Reading {
  readonly close: () => void
  /** Resolves once the stream has ended, however. */
  readonly ended: Promise<void>
}

/** A client with a key of its own. */
export class Client {
  readonly #address: string
  readonly #key: string
  readonly #agent = new Http.Agent({ keepAlive: true, maxSockets: 4 })

  constructor(address: string, key: string) {
    this.#address = address
    this.#key = key
  }

  /** Asks, and answers once the whole document has come. */
  async ask(path: string, json?: object): Promise<Answer> {
    const response = await this.#send(path, json, this.#agent)
    let text = ""
    for await (const piece of response.setEncoding("utf8")) text += piece
    return { status: response.statusCode ?? 0, body: JSON.parse(text) }
  }

  /** Opens a stream on a connection of its own, and answers once it is open. */
  async follow(run: string, heard: (event: Event) => void): Promise<Reading> {
    const response = await this.#send(`/v1/runs/${run}/events?from=1`, undefined, new Http.Agent())
    if (response.statusCode !== 200) throw new Error(`a stream was answered with ${response.statusCode}`)
    let text = ""
    response.setEncoding("utf8").on("data", (piece: string) => {
      text += piece
      for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
        const [, id, data] = /^id: (\d+)\nevent: transition\ndata: (.*)$/.exec(text.slice(0, end)) ?? []
        text = text.slice(end + 2)
        if (id !== undefined && data !== undefined) heard({ id: Number(id), data })
      }
    })
    const ended = new Promise<void>((resolve) => response.once("close", resolve).on("error", () => resolve()))
    return { close: () => void response.destroy(), ended }
  }

  /** Closes the connections. */
  close(): void {
    this.#agent.destroy()
  }

  #send(path: string, json: object | undefined, agent: Http.Agent): Promise<Http.IncomingMessage> {
    return new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${this.#key}`, "content-type": "application/json" }
      const method = json === undefined ? "GET" : "POST"
      const request = Http.request(`${this.#address}${path}`, { method, headers, agent }, resolve)
      request.on("error", reject)
      request.end(json && JSON.stringify(json))
    })
  }
}
