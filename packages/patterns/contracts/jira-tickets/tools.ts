/** Tools for Jira's API under the contract beside this file: issues that carry their key as a label. */

/** Settings: the address of the site, and the account. `fetch` is for tests, and for proxies. */
export interface Options {
  readonly site: string
  readonly email: string
  readonly apiToken: string
  readonly fetch?: typeof globalThis.fetch
}

interface Context {
  readonly key: string | undefined
  readonly signal: AbortSignal
}

interface Issue {
  readonly project: string
  readonly type: string
  readonly summary: string
  readonly text: string
  readonly report: string
}

interface Closed {
  readonly issue: string
}

interface Found {
  readonly key: string
  readonly fields: {
    readonly project: { readonly key: string }
    readonly summary: string
    readonly labels: ReadonlyArray<string>
    readonly status: { readonly name: string }
  }
}

interface Transition {
  readonly id: string
  readonly to: { readonly name: string }
}

/** An error that says for good that nothing happened. Whatever else is thrown leaves the outcome unknown. */
const refused = (detail: unknown): Error =>
  Object.assign(new Error(JSON.stringify(detail)), { _tag: "ToolRefused", detail })

/** A text in the format of Jira's documents. */
const document = (text: string): object => ({
  type: "doc",
  version: 1,
  content: [{ type: "paragraph", content: [{ type: "text", text }] }]
})

/** Makes the tools. */
export const jiraTickets = ({ apiToken, email, fetch = globalThis.fetch, site }: Options) => {
  const authorization = `Basic ${Buffer.from(`${email}:${apiToken}`).toString("base64")}`

  const ask = async (method: string, path: string, signal: AbortSignal, body?: object) => {
    const response = await fetch(`${site}/rest/api/3/${path}`, {
      method,
      signal,
      headers: { authorization, accept: "application/json", "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const text = await response.text()
    const answer = text === "" ? null : JSON.parse(text)
    if (response.ok || (method === "GET" && response.status === 404)) return { status: response.status, answer }
    const isKnown = response.status < 500 && response.status !== 408 && response.status !== 429
    throw isKnown ? refused(answer) : new Error(`Jira answered ${response.status}`)
  }

  const shown = ({ fields, key }: Found, count: number) => ({
    id: key,
    project: fields.project.key,
    summary: fields.summary,
    labels: fields.labels,
    status: fields.status.name,
    count
  })

  const withLabel = async ({ key, signal }: Context): Promise<ReadonlyArray<Found>> => {
    const asked = { jql: `labels = "${key}"`, fields: ["project", "summary", "labels", "status"], maxResults: 50 }
    return (await ask("POST", "search/jql", signal, asked)).answer.issues
  }

  const find = async (context: Context) => {
    const all = await withLabel(context)
    return all[0] && shown(all[0], all.length)
  }

  const read = async (issue: string, signal: AbortSignal) => {
    const { answer, status } = await ask("GET", `issue/${encodeURIComponent(issue)}`, signal)
    return status === 404 ? undefined : shown(answer, 1)
  }

  return {
    create_issue: {
      execute: async ({ project, summary, text, type }: Issue, { key = "", signal }: Context) => {
        const fields = {
          project: { key: project },
          issuetype: { name: type },
          summary,
          description: document(text),
          labels: [key]
        }
        return { id: String((await ask("POST", "issue", signal, { fields })).answer.key) }
      },
      status: async (context: Context) => {
        const found = await find(context)
        return found && { id: found.id }
      },
      readback: find
    },
    close_issue: {
      execute: async ({ issue }: Closed, { signal }: Context) => {
        const path = `issue/${encodeURIComponent(issue)}/transitions`
        const { answer } = await ask("GET", path, signal)
        const transitions: ReadonlyArray<Transition> = answer?.transitions ?? []
        const done = transitions.find(({ to }) => to.name === "Done")
        if (done === undefined) throw refused(`no transition of ${issue} leads to Done`)
        await ask("POST", path, signal, { transition: { id: done.id } })
        return { id: issue }
      },
      status: async ({ signal }: Context, { issue }: Closed) => {
        const found = await read(issue, signal)
        return found?.status === "Done" ? { id: issue } : undefined
      },
      readback: ({ signal }: Context, { issue }: Closed) => read(issue, signal)
    }
  }
}
