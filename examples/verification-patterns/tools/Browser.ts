/** The interface of a browser that the tool needs, and a browser that only submits forms over HTTP. */

/** The content of a page. */
export interface Page {
  readonly url: string
  readonly text: (id: string) => Promise<string | null>
  readonly all: (name: string) => Promise<ReadonlyArray<string>>
}

/** Opens pages, fills in forms, and downloads files. It stays on the last page that it reached. */
export interface Browser {
  readonly open: (url: string) => Promise<void>
  readonly submit: (fields: Readonly<Record<string, string>>, button: string) => Promise<void>
  readonly page: () => Page
  readonly download: (path: string) => Promise<Uint8Array>
  readonly close: () => Promise<void>
}

/**
 * A browser without a window: it submits forms, follows redirects, keeps cookies, and finds elements by id and class.
 */
export const plain = (): Browser => {
  let [url, html, cookie] = ["about:blank", "", ""]
  const go = async (address: string, body?: URLSearchParams): Promise<void> => {
    const response = await fetch(address, {
      redirect: "manual",
      headers: { cookie },
      ...(body === undefined ? {} : { method: "POST", body })
    })
    cookie = response.headers.get("set-cookie")?.split(";")[0] ?? cookie
    const location = response.headers.get("location")
    if (location !== null) return go(new URL(location, address).href)
    url = address
    html = await response.text()
  }
  return {
    open: (address) => go(address),
    submit: (fields) => {
      const action = /<form [^>]*action="([^"]*)"/.exec(html)?.[1]
      if (action === undefined) return Promise.reject(new Error("there is no form on the page"))
      return go(new URL(action, url).href, new URLSearchParams(fields))
    },
    page: () => ({
      url,
      text: async (id) => new RegExp(`id="${id}"[^>]*>([^<]*)<`).exec(html)?.[1] ?? null,
      all: async (name) =>
        [...html.matchAll(new RegExp(`class="${name}"[^>]*>([^<]*)<`, "g"))].map((match) => match[1] ?? "")
    }),
    download: async (path) => {
      const response = await fetch(new URL(path, url), { headers: { cookie } })
      return new Uint8Array(await response.arrayBuffer())
    },
    close: async () => undefined
  }
}
