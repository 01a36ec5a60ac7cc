/**
 * Pull requests as GitHub answers them: one open request for a branch, merges at a named commit, and comparisons.
 *
 * A branch has the commit `sha-` with its name; the branch `moved` has got another one since it was reviewed.
 *
 * @source GitHub, "Pull requests", "Merge a pull request" and "Compare two commits"
 */
import type { Make, Reply } from "./Provider.ts"
import { ok } from "./Provider.ts"
import * as Records from "./Records.ts"

interface Pull {
  readonly number: number
  readonly title: string
  readonly body: string
  readonly state: string
  readonly merged_at: string | null
  readonly merge_commit_sha: string | null
  readonly head: { readonly ref: string; readonly sha: string }
  readonly base: { readonly ref: string }
}

const error = (status: number, message: string): Reply => ok({ message, documentation_url: "" }, status)

/** The provider. */
export const make: Make = (database) => {
  const pulls = Records.make<Pull>(database, "github.pulls")

  const open = (repo: string, body: string): Reply => {
    const { base, head, title, body: text } = JSON.parse(body)
    const known = pulls.all().find((each) => each.body.head.ref === head && each.body.state === "open")
    if (known !== undefined) return error(422, `A pull request already exists for ${head}.`)
    const number = pulls.all().length + 1
    const sha = `sha-${head}`
    const pull: Pull = {
      number,
      title,
      body: text,
      state: "open",
      merged_at: null,
      merge_commit_sha: null,
      head: { ref: head, sha },
      base: { ref: base }
    }
    pulls.put(`${repo}#${number}`, pull)
    return ok(pull, 201)
  }

  const merge = (name: string, pull: Pull, body: string): Reply => {
    if (pull.merged_at !== null) return error(405, "Pull Request is not mergeable")
    const { sha } = JSON.parse(body)
    const now = pull.head.ref === "moved" ? "sha-moved-again" : pull.head.sha
    if (sha !== now) return error(409, "Head branch was modified. Review and try the merge again.")
    const merged = { ...pull, state: "closed", merged_at: new Date().toISOString(), merge_commit_sha: `merge-${sha}` }
    pulls.put(name, merged)
    return ok({ sha: merged.merge_commit_sha, merged: true, message: "Pull Request successfully merged" })
  }

  const compare = (range: string): Reply => {
    const commit = range.split("...")[1]
    const isMerged = pulls.all().some(({ body }) => body.merged_at !== null && body.head.sha === commit)
    return ok({ status: isMerged ? "behind" : "ahead", ahead_by: isMerged ? 0 : 1 })
  }

  return ({ body, headers, method, path, query }) => {
    if (!headers["authorization"]?.startsWith("Bearer ")) return error(401, "Bad credentials")
    const [, owner, repository, kind, number = "", part] = path
    const repo = `${owner}/${repository}`
    if (kind === "compare") return compare(number)
    if (number === "") {
      if (method === "POST") return open(repo, body)
      const head = query.get("head")?.split(":")[1]
      const found = pulls.all().filter((each) => each.id.startsWith(`${repo}#`) && each.body.head.ref === head)
      return ok(found.map((each) => each.body))
    }
    const name = `${repo}#${number}`
    const pull = pulls.get(name)
    if (pull === undefined) return error(404, "Not Found")
    if (part === "merge") return merge(name, pull, body)
    if (method === "GET") return ok(pull)
    pulls.put(name, { ...pull, ...JSON.parse(body) })
    return ok(pulls.get(name))
  }
}
