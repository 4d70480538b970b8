import type { Account } from "../world/entities.ts";
import type { World } from "../world/world.ts";
import { nodeId, time } from "./ids.ts";

export function showUser(world: World, login: string) {
  const account = world.account(login);
  const url = `${world.api}/users/${encodeURIComponent(account.login)}`;
  const page = account.type === "Bot" ? `apps/${account.login.replace(/\[bot\]$/, "")}` : account.login;
  return {
    login: account.login,
    id: account.id,
    node_id: nodeId("user", account.id),
    avatar_url: `https://avatars.githubusercontent.com/u/${account.id}?v=4`,
    gravatar_id: "",
    url,
    html_url: `${world.html}/${page}`,
    followers_url: `${url}/followers`,
    following_url: `${url}/following{/other_user}`,
    gists_url: `${url}/gists{/gist_id}`,
    starred_url: `${url}/starred{/owner}{/repo}`,
    subscriptions_url: `${url}/subscriptions`,
    organizations_url: `${url}/orgs`,
    repos_url: `${url}/repos`,
    events_url: `${url}/events{/privacy}`,
    received_events_url: `${url}/received_events`,
    type: account.type,
    user_view_type: "public",
    site_admin: false,
  };
}

/** What a person's own page tells. */
export function showProfile(world: World, account: Account) {
  return {
    ...showUser(world, account.login),
    name: account.name,
    company: null,
    blog: "",
    location: null,
    email: null,
    hireable: null,
    bio: null,
    twitter_username: null,
    public_repos: [...world.repositories.values()].filter((each) => each.owner === account.login && !each.private)
      .length,
    public_gists: 0,
    followers: 0,
    following: 0,
    created_at: time(world.now()),
    updated_at: time(world.now()),
  };
}
