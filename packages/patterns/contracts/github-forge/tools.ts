/** Tools for GitHub's API under the contract beside this file: pull requests that carry their key in a comment. */

/** Settings. `baseUrl` and `fetch` are for tests, for proxies and for servers of one's own. */
export interface Options {
  readonly token: string
  readonly baseUrl?: string
  readonly fetch?: typeof globalThis.fetch
}

interface Context {
  readonly key: string | undefined
  readonly signal: AbortSignal
}

interface Opened {
  readonly repo: string
  readonly head: string
  readonly base: string
  readonly title: string
  readonly text: string
}

interface Pull {
  readonly repo: string
  readonly pull: number
}

interface Merged extends Pull {
  readonly commit: string
}

interface Found {
  readonly number: number
  readonly title: string
  readonly body: string | null
  readonly state: string
  readonly merged_at: string | null
  readonly merge_commit_sha: string | null
  readonly head: { readonly ref: string; readonly sha: string }
  readonly base: { readonly ref: string }
}

/** An error that says for good that nothing happened. Whatever else is thrown leaves the outcome unknown. */
const refused = (detail: unknown): Error =>
  Object.assign(new Error(JSON.stringify(detail)), { _tag: "ToolRefused", detail })

const marked = (key = ""): string => `<!-- key ${key} -->`

/** Makes the tools. */
export const githubForge = ({ baseUrl = "https://api.github.com", fetch = globalThis.fetch, token }: Options) => {
  const ask = async <A>(method: string, path: string, signal: AbortSignal, body?: object) => {
    const response = await fetch(`${baseUrl}/repos/${path}`, {
      method,
      signal,
      headers: {
        accept: "application/vnd.github+json",
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        "x-github-api-version": "2022-11-28"
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const answer = (await response.json()) as A
    if (response.ok || (method === "GET" && response.status === 404)) return { status: response.status, answer }
    const isKnown = response.status < 500 && response.status !== 408 && response.status !== 429
    throw isKnown ? refused(answer) : new Error(`GitHub answered ${response.status}`)
  }

  const shown = (found: Found, count: number) => ({
    pull: found.number,
    title: found.title,
    state: found.state,
    merged: found.merged_at !== null,
    head: found.head.ref,
    base: found.base.ref,
    commit: found.head.sha,
    key: /<!-- key (\S+) -->/.exec(found.body ?? "")?.[1] ?? null,
    count
  })

  const find = async ({ key, signal }: Context, { base, head, repo }: Opened) => {
    const owner = repo.split("/")[0]
    const query = new URLSearchParams({ base, head: `${owner}:${head}`, per_page: "100", state: "all" })
    const { answer } = await ask<ReadonlyArray<Found>>("GET", `${repo}/pulls?${query}`, signal)
    const own = answer.filter(({ body }) => body?.includes(marked(key)) === true)
    return own[0] && shown(own[0], own.length)
  }

  const read = async ({ pull, repo }: Pull, signal: AbortSignal) => {
    const { answer, status } = await ask<Found>("GET", `${repo}/pulls/${pull}`, signal)
    return status === 404 ? undefined : shown(answer, 1)
  }

  return {
    open_pull: {
      execute: async ({ base, head, repo, text, title }: Opened, { key, signal }: Context) => {
        const body = `${text}\n\n${marked(key)}`
        const { answer } = await ask<Found>("POST", `${repo}/pulls`, signal, { base, body, head, title })
        return { pull: answer.number }
      },
      status: async (context: Context, args: Opened) => {
        const found = await find(context, args)
        return found && { pull: found.pull }
      },
      readback: find
    },
    close_pull: {
      execute: async ({ pull, repo }: Pull, { signal }: Context) => {
        await ask("PATCH", `${repo}/pulls/${pull}`, signal, { state: "closed" })
        return { pull }
      },
      status: async ({ signal }: Context, args: Pull) => {
        const found = await read(args, signal)
        return found?.state === "closed" ? { pull: args.pull } : undefined
      },
      readback: ({ signal }: Context, args: Pull) => read(args, signal)
    },
    merge_pull: {
      execute: async ({ commit, pull, repo }: Merged, { signal }: Context) => {
        const { answer } = await ask<{ readonly sha: string }>("PUT", `${repo}/pulls/${pull}/merge`, signal, {
          sha: commit
        })
        return { merge: answer.sha }
      },
      status: async ({ signal }: Context, args: Merged) => {
        const { answer, status } = await ask<Found>("GET", `${args.repo}/pulls/${args.pull}`, signal)
        return status === 404 || answer.merged_at === null ? undefined : { merge: answer.merge_commit_sha }
      },
      readback: ({ signal }: Context, args: Merged) => read(args, signal),
      sources: {
        base: async ({ signal }: Context, args: Merged) => {
          const found = await read(args, signal)
          if (found === undefined) return undefined
          const range = `${found.base}...${args.commit}`
          const { answer } = await ask<{ readonly ahead_by: number }>("GET", `${args.repo}/compare/${range}`, signal)
          // Everything of the commit is on the base branch once the commit is not ahead of it.
          return { contains: answer.ahead_by === 0 }
        }
      }
    }
  }
}
