package explore

import "github.com/jobconformance/jobconformance/fixtures/faultproxy"

// frozen are how the implementation can stand still at something with the verb, or wait for an answer.
func frozen(verb string) []faultproxy.Effect {
	switch verb {
	case "watch", "list", "end":
		return nil
	}
	return []faultproxy.Effect{{Kind: faultproxy.FreezeBefore}, {Kind: faultproxy.FreezeAfter},
		{Kind: faultproxy.Delay}}
}

// answers are what an API server can answer to something with the verb that no fault of every exploration has.
func answers(verb string) []faultproxy.Effect {
	switch verb {
	case "watch":
		return []faultproxy.Effect{{Kind: faultproxy.CloseWatch}, {Kind: faultproxy.ExpireWatch}}
	case "list", "end":
		return nil
	}
	return []faultproxy.Effect{{Kind: faultproxy.Answer, Code: 429}, {Kind: faultproxy.BreakOff},
		{Kind: faultproxy.GoAway}, {Kind: faultproxy.Away}}
}

// rights are how the right to something with the verb can be taken away for a while.
func rights(verb string) []faultproxy.Effect {
	switch verb {
	case "list", "end":
		return nil
	}
	return []faultproxy.Effect{{Kind: faultproxy.Deny}}
}

// webhooks are what an admission webhook on updates of pods can do to something with the verb.
func webhooks(verb string) []faultproxy.Effect {
	if verb != "patch" && verb != "update" {
		return nil
	}
	return []faultproxy.Effect{{Kind: faultproxy.WebhookFails}, {Kind: faultproxy.WebhookSlow}}
}
