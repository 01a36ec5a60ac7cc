/**
 * A web site for people: a user signs in, fills in a form that the site checks, and gets a page and a receipt as
 * confirmation.
 *
 * The site can show a captcha, end a session, use another layout, open the account that was used last, and print its
 * receipts from a template.
 */
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Router from "./Router.ts"

const page = (title: string, body: string, status = 200): Router.Reply => ({
  status,
  page: `<!doctype html><html lang="en"><head><title>${title}</title></head><body>${body}</body></html>`
})

const escaped = (text: unknown): string => String(text ?? "").replace(/[&<>"]/g, (each) => `&#${each.charCodeAt(0)};`)

const accountOf = ({ cookie, tenant }: Router.Request): string | undefined => {
  const session = /session=([\w-]+)/.exec(cookie)?.[1]
  return tenant.get("sessions", session ?? "")?.["account"]?.toString()
}

const form = (request: Router.Request, errors: ReadonlyArray<string>, status = 200): Router.Reply =>
  page(
    "Address",
    `<p id="account">${escaped(accountOf(request))}</p>
     <ul>${errors.map((error) => `<li class="error">${escaped(error)}</li>`).join("")}</ul>
     <form method="post" action="address"><input name="city"><input name="zip"><button id="save">Save</button></form>`,
    status
  )

const signIn = (request: Router.Request): Router.Reply => {
  const { body, tenant } = request
  const account = tenant.setting("opensAs") ?? body["account"] ?? null
  const session = tenant.add("sessions", { account })
  return { status: 303, headers: { location: "address", "set-cookie": `session=${session}; Path=/` } }
}

const save = (request: Router.Request): Router.Reply => {
  const { body, tenant } = request
  const account = accountOf(request)
  if (tenant.setting("suspicious") === true) {
    return page("Are you a person?", `<div id="captcha">Pick the pictures with seams.</div>`, 429)
  }
  if (account === undefined || tenant.setting("endsSessions") === true) {
    return { status: 303, headers: { location: "login" } }
  }
  const errors = /^\d{4}$/.test(String(body["zip"])) ? [] : ["The code has four digits."]
  if (errors.length > 0) return form(request, errors, 422)
  const known: JsonObject = { account, city: body["city"] ?? null, zip: body["zip"] ?? null }
  tenant.put("addresses", account, known)
  return { status: 303, headers: { location: "done" } }
}

const done = (request: Router.Request): Router.Reply => {
  const { tenant } = request
  const account = accountOf(request)
  const address = tenant.get("addresses", account ?? "") ?? {}
  const shown = `<p id="account">${escaped(account)}</p>
    <dl><dt>City</dt><dd id="city">${escaped(address["city"])}</dd><dt>Code</dt><dd id="zip">${escaped(address["zip"])}</dd></dl>
    <a id="receipt" href="receipt">Receipt</a>`
  // An experiment shows another page to every second visitor.
  return tenant.setting("experiment") === true
    ? page("All set", `<section>${shown}</section>`)
    : page("Saved", `<h1 id="saved">Saved</h1>${shown}`)
}

const receipt = (request: Router.Request): Router.Reply => {
  const address = request.tenant.get("addresses", accountOf(request) ?? "") ?? {}
  const footer = request.tenant.setting("template") ?? ""
  return {
    status: 200,
    page: `${address["city"]},${address["zip"]}\n${footer}`,
    headers: { "content-type": "text/plain; charset=utf-8" }
  }
}

/** The site. */
export const service: Router.Service = {
  "GET /login": () =>
    page(
      "Sign in",
      `<form method="post" action="login"><input name="account"><button id="enter">Enter</button></form>`
    ),
  "POST /login": signIn,
  "GET /address": (request) => form(request, []),
  "POST /address": save,
  "GET /done": done,
  "GET /receipt": receipt,
  "GET /api/addresses/:account": ({ path, tenant }) => {
    const address = tenant.get("addresses", path["account"] ?? "")
    return address === undefined ? Router.missing : Router.json(address)
  }
}
