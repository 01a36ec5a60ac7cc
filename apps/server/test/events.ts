/** Reads a stream of server-sent events for a test. */
import * as Effect from "effect/Effect"

/** An event: its id, and the type of the transition that it tells of. */
export interface Seen {
  readonly id: string
  readonly type: string
}

/** The events of a stream up to the first one about a transition of a type. It goes on behind `after`, if given. */
export const until = (address: string, key: string, type: string, after?: string): Effect.Effect<ReadonlyArray<Seen>> =>
  Effect.promise(async (signal) => {
    const response = await fetch(address, {
      headers: { authorization: `Bearer ${key}`, ...(after === undefined ? {} : { "last-event-id": after }) },
      signal: AbortSignal.any([signal, AbortSignal.timeout(60_000)])
    })
    if (response.status !== 200) throw new Error(await response.text())
    const found: Array<Seen> = []
    let text = ""
    for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
      text += piece
      for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
        const event = text.slice(0, end)
        text = text.slice(end + 2)
        const [, id] = /^id: (.+)$/m.exec(event) ?? []
        const [, data] = /^data: (.+)$/m.exec(event) ?? []
        if (id === undefined || data === undefined) continue
        const { transition_type } = JSON.parse(data) as { transition_type: string }
        found.push({ id, type: transition_type })
        if (transition_type === type) return found
      }
    }
    throw new Error(`the stream ended before ${type}`)
  })
