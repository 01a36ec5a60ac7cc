/**
 * Issues as Jira answers them: creation, a search by label, and transitions of their status.
 *
 * @source Jira, "Issues", "Issue search" and "Transitions"
 */
import type { Make, Reply } from "./Provider.ts"
import { ok } from "./Provider.ts"
import * as Records from "./Records.ts"

interface Fields {
  readonly project: { readonly key: string }
  readonly summary: string
  readonly labels: ReadonlyArray<string>
  readonly status: { readonly name: string }
}

const error = (status: number, message: string): Reply => ok({ errorMessages: [message], errors: {} }, status)

/** The provider. */
export const make: Make = (database) => {
  const issues = Records.make<Fields>(database, "jira.issues")
  const shown = (key: string, fields: Fields) => ({ id: key, key, fields })

  const create = (body: string): Reply => {
    const { fields } = JSON.parse(body)
    if (typeof fields.summary !== "string" || fields.summary === "") return error(400, "You must specify a summary")
    if (fields.labels.some((label: string) => / /.test(label))) return error(400, "The label can't contain spaces.")
    const key = `${fields.project.key}-${issues.all().length + 1}`
    issues.put(key, { ...fields, status: { name: "To Do" } })
    return ok({ id: key, key }, 201)
  }

  const search = (body: string): Reply => {
    const { jql, maxResults } = JSON.parse(body)
    const label = /^labels = "(\S+)"$/.exec(jql)?.[1]
    if (label === undefined) return error(400, "The query could not be read")
    const found = issues.all().filter((each) => each.body.labels.includes(label))
    return ok({ issues: found.slice(0, maxResults).map((each) => shown(each.id, each.body)), isLast: true })
  }

  return ({ body, headers, method, path }) => {
    if (!headers["authorization"]?.startsWith("Basic ")) return error(401, "Unauthorized")
    const [, , , kind, key = "", part] = path
    if (kind === "search") return search(body)
    if (method === "POST" && key === "") return create(body)
    const known = issues.get(key)
    if (known === undefined) return error(404, "Issue does not exist or you do not have permission to see it.")
    if (part !== "transitions") return ok(shown(key, known))
    if (method === "GET") return ok({ transitions: [{ id: "31", name: "Done", to: { name: "Done" } }] })
    issues.put(key, { ...known, status: { name: "Done" } })
    return { status: 204 }
  }
}
