import { defineStreamHook, replacing } from 'hookmachine/hook';

// AWS keys and the numbers of credit cards; neither has more than the 20 characters of "holdBack".
const secrets = /AKIA[0-9A-Z]{16}|\d{4}([ -]?\d{4}){3}/;

export default defineStreamHook(replacing(secrets, '[redacted]'));
