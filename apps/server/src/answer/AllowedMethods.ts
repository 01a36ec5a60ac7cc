/**
 * The methods of each path, as the routes have them: a known path with another method is answered with 405 and not
 * with 404, and says which methods it has (RFC 9110).
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FindMyWay from "effect/http/FindMyWay"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"

/** Service that knows the methods of paths. */
export class AllowedMethods extends Context.Service<
  AllowedMethods,
  {
    /** The methods with which a path, and its query, may be asked; none if no route has the path. */
    readonly of: (url: string) => ReadonlyArray<string>
  }
>()("@backstitch/server/AllowedMethods") {}

/** Layer of a router that notes each route, and of the service that knows what was noted. */
export const layer: Layer.Layer<AllowedMethods | HttpRouter.HttpRouter, never, HttpRouter.HttpRouter> =
  Layer.effectContext(
    Effect.map(HttpRouter.HttpRouter, (router) => {
      const found = FindMyWay.make<true>()
      const methods = new Set<Method>()
      const note = (method: Method | "*", path: HttpRouter.PathInput): void => {
        if (method === "*" || path === "*") return
        methods.add(method)
        found.on(method, path, true)
      }
      const of = (url: string): ReadonlyArray<string> => {
        const own = [...methods].filter((method) => found.find(method, url) !== undefined)
        if (own.length === 0) return []
        return [...own, ...(own.includes("GET") ? ["HEAD"] : []), "OPTIONS"].sort()
      }
      const noting: HttpRouter.HttpRouter = {
        ...router,
        add: (method, path, handler, options) => {
          note(method, path)
          return router.add(method, path, handler, options)
        },
        addAll: (routes) => {
          for (const { method, path } of routes) note(method, path)
          return router.addAll(routes)
        }
      }
      return Context.make(HttpRouter.HttpRouter, noting).pipe(Context.add(AllowedMethods, { of }))
    })
  )

type Method = Exclude<HttpRouter.Route<never, never>["method"], "*">
