/**
 * A desk for tickets: records with versions, a history of changes, locks, and rules that run automatically.
 *
 * The last writer wins, as in most such systems. A field that a user may not write is left unchanged without an
 * error. A rule may assign a ticket, or copy it to another queue; the history may be switched off.
 */
import * as Router from "./Router.ts"

const update = ({ actor, body, path, tenant, trace }: Router.Request): Router.Reply => {
  const id = path["id"] ?? ""
  const ticket = tenant.get("tickets", id)
  if (ticket === undefined) return Router.missing
  const saved = Router.json({ id, saved: true })
  // While a person edits a ticket, the changes of others wait as a draft.
  if (ticket["lockedBy"] !== null && ticket["lockedBy"] !== actor) {
    tenant.add("drafts", { ticket: id, body })
    return saved
  }
  const hidden = tenant.setting("protects")
  const given = Router.isObject(body["values"]) ? body["values"] : {}
  const allowed = Object.entries(given).filter(([name]) => name !== hidden)
  const values = { ...(Router.isObject(ticket["values"]) ? ticket["values"] : {}), ...Object.fromEntries(allowed) }
  const [basis, comments] = [Number(ticket["version"]), Array.isArray(ticket["comments"]) ? ticket["comments"] : []]
  const changed = tenant.patch("tickets", id, {
    values,
    version: basis + 1,
    assignee: tenant.setting("assigns") ?? body["assignee"] ?? ticket["assignee"] ?? null,
    comments: [...comments, ...(body["comment"] === undefined ? [] : [body["comment"]])],
    actor,
    updated: basis + 1
  })
  if (tenant.setting("historyOff") !== true) tenant.add("history", { ticket: id, trace, actor, basis, values })
  if (values["priority"] === tenant.setting("copies")) tenant.put("tickets", `${id}-copy`, changed)
  return saved
}

/** The desk. */
export const service: Router.Service = {
  "PATCH /tickets/:id": update,
  "GET /tickets/:id": ({ path, tenant }) => {
    const ticket = tenant.get("tickets", path["id"] ?? "")
    return ticket === undefined ? Router.missing : Router.json({ ...ticket, id: path["id"] ?? "" })
  },
  "GET /tickets": ({ query, tenant }) =>
    Router.json(tenant.all("tickets").flatMap(({ body, id }) => (body["ref"] === query.get("ref") ? [id] : []))),
  "GET /history": ({ query, tenant }) =>
    Router.json(tenant.all("history").flatMap(({ body }) => (body["ticket"] === query.get("ticket") ? [body] : [])))
}
