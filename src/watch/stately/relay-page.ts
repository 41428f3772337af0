/** The origin of Stately's inspector. */
export const statelyOrigin = 'https://stately.ai';

/** The page that embeds Stately's inspector and forwards the inspected events to it. */
export const relayPage = (stream: string, nonce: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>hookmachine in Stately's inspector</title>
<style nonce="${nonce}">html, body, iframe { height: 100%; width: 100%; margin: 0; border: 0; display: block; }</style>
<iframe title="Stately's inspector" src="${statelyOrigin}/inspect"></iframe>
<script nonce="${nonce}">
const inspector = document.querySelector('iframe');
let messages;
addEventListener('message', ({ data, origin, source }) => {
  if (origin !== '${statelyOrigin}' || source !== inspector.contentWindow) return;
  if (data?.type !== '@statelyai.connected') return;
  messages?.close();
  messages = new EventSource('${stream}');
  messages.onmessage = ({ data: message }) =>
    inspector.contentWindow.postMessage(JSON.parse(message), '${statelyOrigin}');
  // Asked again it would tell everything again.
  messages.onerror = () => messages.close();
});
</script>
</html>
`;
