/** A tool for Postmark's API under the contract beside this file: one mail to one recipient. */

/** Settings. `baseUrl` and `fetch` are for tests, and for proxies. */
export interface Options {
  readonly serverToken: string
  readonly baseUrl?: string
  readonly fetch?: typeof globalThis.fetch
}

interface Context {
  readonly key: string | undefined
  readonly signal: AbortSignal
}

interface Mail {
  readonly from: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly topic: string
}

interface Message {
  readonly MessageID: string
  readonly Status: string
  readonly Recipients: ReadonlyArray<string>
  readonly Metadata: Readonly<Record<string, string>>
}

/** An error that says for good that nothing happened. Whatever else is thrown leaves the outcome unknown. */
const refused = (detail: unknown): Error =>
  Object.assign(new Error(JSON.stringify(detail)), { _tag: "ToolRefused", detail })

/** Makes the tool. */
export const postmarkMail = ({
  baseUrl = "https://api.postmarkapp.com",
  fetch = globalThis.fetch,
  serverToken
}: Options) => {
  const ask = async <A>(path: string, signal: AbortSignal, body?: object): Promise<A> => {
    const response = await fetch(`${baseUrl}/${path}`, {
      method: body === undefined ? "GET" : "POST",
      signal,
      headers: {
        accept: "application/json",
        "content-type": "application/json",
        "x-postmark-server-token": serverToken
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const answer = (await response.json()) as A
    if (response.ok) return answer
    // 422 and 401 say that nothing was sent. Of 429 and 5xx nobody knows.
    if (response.status === 422 || response.status === 401) throw refused(answer)
    throw new Error(`Postmark answered ${response.status}`)
  }

  const find = async ({ key, signal }: Context) => {
    const query = `messages/outbound?count=50&offset=0&metadata_backstitch_key=${encodeURIComponent(key ?? "")}`
    const { Messages: messages } = await ask<{ readonly Messages: ReadonlyArray<Message> }>(query, signal)
    const [first] = messages
    return (
      first && {
        id: first.MessageID,
        status: first.Status,
        to: first.Recipients[0] ?? null,
        key: first.Metadata["backstitch_key"] ?? null,
        count: messages.length
      }
    )
  }

  return {
    send_mail: {
      execute: async ({ from, subject, text, to }: Mail, { key = "", signal }: Context) => {
        const mail = { From: from, To: to, Subject: subject, TextBody: text, Metadata: { backstitch_key: key } }
        const { MessageID: id } = await ask<Pick<Message, "MessageID">>("email", signal, mail)
        return { id }
      },
      status: async (context: Context) => {
        const found = await find(context)
        return found && { id: found.id }
      },
      readback: find
    }
  }
}
