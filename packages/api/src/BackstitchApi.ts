/**
 * The whole API: the one definition from which the server, the clients, the OpenAPI document and the tests are made.
 */
import * as HttpApi from "effect/http-api/HttpApi"
import * as OpenApi from "effect/http-api/OpenApi"
import * as BranchesApi from "./groups/BranchesApi.ts"
import * as DeliveriesApi from "./groups/DeliveriesApi.ts"
import * as ExchangeApi from "./groups/ExchangeApi.ts"
import * as FeedApi from "./groups/FeedApi.ts"
import * as GoalApi from "./groups/GoalApi.ts"
import * as HostingApi from "./groups/HostingApi.ts"
import * as KeysApi from "./groups/KeysApi.ts"
import * as PacksApi from "./groups/PacksApi.ts"
import * as PredicatesApi from "./groups/PredicatesApi.ts"
import * as RecoveryApi from "./groups/RecoveryApi.ts"
import * as ReviewsApi from "./groups/ReviewsApi.ts"
import * as RunsApi from "./groups/RunsApi.ts"
import * as VersionsApi from "./groups/VersionsApi.ts"
import * as WebhooksApi from "./groups/WebhooksApi.ts"

/** The API. Every path begins with its version. */
export const BackstitchApi = HttpApi.make("backstitch")
  .add(
    RunsApi.group,
    HostingApi.group,
    FeedApi.group,
    ReviewsApi.group,
    GoalApi.group,
    RecoveryApi.group,
    VersionsApi.group,
    BranchesApi.group,
    PredicatesApi.group,
    ExchangeApi.group,
    PacksApi.group,
    DeliveriesApi.group,
    WebhooksApi.group,
    KeysApi.group
  )
  .prefix("/v1")
  .annotate(OpenApi.Title, "Backstitch")
  .annotate(OpenApi.Version, "1")
  .annotate(
    OpenApi.Description,
    "Runs of agents on the record: every step a committed transition, every effect proven before it is reported."
  )
