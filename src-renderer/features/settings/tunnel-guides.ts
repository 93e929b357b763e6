export type Guide = {
  readonly id: string
  readonly name: string
  readonly steps: readonly { readonly text: string; readonly command?: string }[]
}

/** Returns the steps to reach a listener on this computer from outside, by tool. @param port the listener's. */
export function tunnelGuides(port: number): readonly Guide[] {
  const paste = 'Paste that address above, check it, and save.'
  return [
    {
      id: 'cloudflared',
      name: 'cloudflared',
      steps: [
        { text: 'Install cloudflared from Cloudflare’s downloads page or your package manager.' },
        {
          text: 'Start a tunnel to the listener. It prints an address that ends in trycloudflare.com.',
          command: `cloudflared tunnel --url http://127.0.0.1:${port}`,
        },
        { text: paste },
        {
          text: 'The address changes with every start. For a fixed one, create a named tunnel on your domain.',
          command: 'cloudflared tunnel create custom-connection',
        },
      ],
    },
    {
      id: 'ngrok',
      name: 'ngrok',
      steps: [
        {
          text: 'Install ngrok and add the authtoken of your account.',
          command: 'ngrok config add-authtoken …',
        },
        {
          text: 'Start a tunnel to the listener. It prints an https address after “Forwarding”.',
          command: `ngrok http ${port}`,
        },
        { text: paste },
      ],
    },
    {
      id: 'proxy',
      name: 'Reverse proxy',
      steps: [
        {
          text: 'Forward /api/connect/ to the listener, and nothing else, so that the dashboard stays private.',
        },
        {
          text: 'Caddy, for a domain that points to this computer:',
          command: `hooks.example.com { reverse_proxy /api/connect/* 127.0.0.1:${port} }`,
        },
        {
          text: 'The proxy must not change the body, since the signature covers its bytes. Then check and save the address.',
        },
      ],
    },
  ]
}
